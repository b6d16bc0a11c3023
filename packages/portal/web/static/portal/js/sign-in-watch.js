/* The sign-in watch: a page must not outlive the sign-in that it was made for.

   The server reads the cookies that all tabs share: GET /sign-in-state, every 60 s while the page is visible, on focus,
   and when it comes back from the back-forward cache. Signed out, or another account: a cover takes the page's place,
   and leads to "/", or by way of the sign-in page back to this page. No answer changes nothing. */
const ASK_EVERY_MS = 60_000;
const ASK_FOR_MS = 10_000;
/* Long enough to see why, short enough to be gone within two seconds. */
const LEAVE_AFTER_MS = 1_200;

const template = document.getElementById("sign-in-cover");
const root = document.documentElement;
const account = template.dataset.account;
let running = null;
let queued = null;
let covered = false;

const veil = (on) => root.classList.toggle("veiled", on);

const cover = (reason) => {
  if (covered) return;
  covered = true;
  const shown = template.content.firstElementChild.cloneNode(true);
  for (const part of shown.querySelectorAll("[data-reason]")) {
    if (part.dataset.reason !== reason) part.remove();
  }
  const next = reason === "signed-out" ? location.pathname + location.search : "/";
  shown.querySelector("[data-continue]").href = next;
  document.dispatchEvent(new Event("sign-in-over"));
  document.body.replaceChildren(shown);
  document.title = shown.querySelector("h1").textContent;
  shown.querySelector("h1").focus();
  veil(false);
  setTimeout(() => location.replace(next), LEAVE_AFTER_MS);
};

/* Whether the server answered. */
const look = async () => {
  const response = await fetch("/sign-in-state", {
    cache: "no-store",
    credentials: "same-origin",
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(ASK_FOR_MS),
  });
  if (!response.ok) return false;
  const state = await response.json();
  if (state.signedIn === false) cover("signed-out");
  else if (account && state.account && state.account !== account) cover("another-account");
  return true;
};

/* One question at a time. Whoever asks meanwhile gets the next one's answer: the one under way may be older than the
   sign-out that this is about. */
const ask = () => {
  if (covered) return Promise.resolve(true);
  if (running) {
    queued ??= running.then(() => {
      queued = null;
      return ask();
    });
    return queued;
  }
  running = look()
    .catch(() => false)
    .finally(() => (running = null));
  return running;
};

const askIfVisible = () => document.visibilityState === "visible" && ask();

setInterval(askIfVisible, ASK_EVERY_MS);
window.addEventListener("focus", ask);
document.addEventListener("visibilitychange", askIfVisible);
/* The server refused what htmx sent: this page was made for another account. */
document.addEventListener("sign-in-changed", ask);

/* A page that the browser keeps is veiled, and asks before it is seen again. */
window.addEventListener("pagehide", (event) => {
  if (event.persisted) veil(true);
});
window.addEventListener("pageshow", async (event) => {
  if (!event.persisted) return;
  veil(true);
  if (await ask()) veil(false);
  else location.reload();
});
