/* The part of a page that renews itself while it is seen.

   A clock ticks; at a tick the part is asked for anew, if the tab is visible, the user has not paused it, and the focus
   is not within it, so that nothing moves under one's hands. Coming back to a tab fetches nothing: the clock went on,
   and its next tick does. The part says when its data was fetched. A failure, and at the next tick a request without an
   answer, turn that into since when there is none; the part is asked for again at each tick. Who is signed out, or
   another user by now, is asked no more; the sign-in watch says why. */
const ENDED = [401, 403, 409];

const keepFresh = (live) => {
  const part = live.querySelector("[hx-get]");
  const pause = live.querySelector("[data-live-pause]");
  if (!part || !window.htmx) return;
  let isAwaited = false;
  const isPaused = () => pause?.getAttribute("aria-pressed") === "true";

  /* It is told once, not at each tick. */
  const setLate = (isLate) => {
    isAwaited = false;
    if (isLate === live.hasAttribute("data-late")) return;
    live.toggleAttribute("data-late", isLate);
    const words = live.querySelector(".live-late")?.textContent.trim();
    document.getElementById("said")?.replaceChildren(isLate && words ? words : "");
  };

  /* The server has an older answer in its cache for as long as the service gives no other. */
  const isOld = (xhr) => {
    const part = new DOMParser().parseFromString(xhr.responseText, "text/html");
    const asOf = Date.parse(part.querySelector(".live-as-of time")?.dateTime);
    return Date.parse(xhr.getResponseHeader("Date")) - asOf > 2 * live.dataset.live * 1000;
  };

  const clock = setInterval(() => {
    if (isAwaited) setLate(true);
    const isSeen = document.visibilityState === "visible";
    if (!isSeen || isPaused() || part.contains(document.activeElement)) return;
    window.htmx.trigger(part, "live");
    isAwaited = true;
  }, Number(live.dataset.live) * 1000);

  pause?.addEventListener("click", () => pause.setAttribute("aria-pressed", String(!isPaused())));
  /* Nobody asked for it, so nothing says that it is under way or failed, and nobody is led away. */
  part.addEventListener("htmx:beforeOnLoad", (event) => {
    const { status } = event.detail.xhr;
    setLate(status >= 400 || isOld(event.detail.xhr));
    if (status < 400) return;
    event.preventDefault();
    if (!ENDED.includes(status)) return;
    clearInterval(clock);
    document.dispatchEvent(new CustomEvent("sign-in-changed"));
  });
  for (const name of ["beforeRequest", "afterRequest", "sendError", "timeout"]) {
    part.addEventListener(`htmx:${name}`, (event) => {
      event.stopPropagation();
      if (/Error|timeout/.test(name)) setLate(true);
    });
  }
};

document.querySelectorAll("[data-live]").forEach(keepFresh);
