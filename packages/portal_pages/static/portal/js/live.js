/* The part of a page that renews itself while it is seen.

   A clock ticks; at a tick the part is asked for anew, if the tab is visible, the user has not paused it, and the focus
   is not within it, so that nothing moves under one's hands. Coming back to a tab fetches nothing: the clock went on,
   and its next tick does. Without an answer the next ticks are missed: one, then three, seven, fifteen. Who is signed
   out, or another user by now, is asked no more; the sign-in watch says why. */
(() => {
  "use strict";
  const MOST_MISSED = 15;
  const ENDED = [401, 403, 409];

  const keepFresh = (live) => {
    const part = live.querySelector("[hx-get]");
    const pause = live.querySelector("[data-live-pause]");
    if (!part || !window.htmx) return;
    let missed = 0;
    let toMiss = 0;
    let isRunning = false;
    const isPaused = () => pause?.getAttribute("aria-pressed") === "true";

    const clock = setInterval(() => {
      if (toMiss > 0) {
        toMiss -= 1;
        return;
      }
      const isSeen = document.visibilityState === "visible";
      if (!isSeen || isPaused() || isRunning || part.contains(document.activeElement)) return;
      isRunning = true;
      window.htmx.trigger(part, "live");
    }, Number(live.dataset.live) * 1000);

    const missTicks = () => {
      missed = Math.min(2 * missed + 1, MOST_MISSED);
      toMiss = missed;
    };

    pause?.addEventListener("click", () => pause.setAttribute("aria-pressed", String(!isPaused())));
    /* Nobody asked for it, so nobody is told that it failed, and nobody is led away. */
    part.addEventListener("htmx:beforeOnLoad", (event) => {
      const { status } = event.detail.xhr;
      if (status < 400) {
        missed = 0;
        return;
      }
      event.preventDefault();
      missTicks();
      if (!ENDED.includes(status)) return;
      clearInterval(clock);
      document.dispatchEvent(new CustomEvent("sign-in-changed"));
    });
    for (const name of ["htmx:sendError", "htmx:timeout"]) {
      part.addEventListener(name, (event) => {
        event.stopPropagation();
        missTicks();
      });
    }
    part.addEventListener("htmx:afterRequest", () => (isRunning = false));
  };

  document.querySelectorAll("[data-live]").forEach(keepFresh);
})();
