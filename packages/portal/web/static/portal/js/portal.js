/* What all pages do better with scripts. Every form and link works alone. */
const root = document.documentElement;

/* A browser may refuse storage, have none left, or hold anything; and an answer may be anything: then there is nothing.
   The scripts after this one use it too. */
window.quietly = (work) => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/* Where a form is to be cured. */
const toCure = () => document.querySelector("main [aria-invalid='true'], main form .notice[tabindex]");

document.addEventListener("click", (event) => {
  /* Unlike the link, a reload stays where one has scrolled to. */
  if (!event.target.closest("[data-refresh]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  location.reload();
});

const secure = location.protocol === "https:" ? "; secure" : "";

/* Without a chosen time zone, the browser's own counts: for the next page, and for what the server wrote in another. */
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && zone !== root.dataset.timeZone && !("zoneIsChosen" in root.dataset)) {
  document.cookie = `browser_time_zone=${zone}; path=/; samesite=lax${secure}`;
}
const written = (date, style) => new Intl.DateTimeFormat(root.lang, { hourCycle: "h23", ...style }).format(date);
const nameOfZone = (date) =>
  new Intl.DateTimeFormat(root.lang, { timeZoneName: "short" })
    .formatToParts(date)
    .find(({ type }) => type === "timeZoneName").value;
const WRITE = {
  day: (date) => written(date, { dateStyle: "medium" }),
  clock: (date) => `${written(date, { timeStyle: "short" })} ${nameOfZone(date)}`,
  short_moment: (date) => written(date, { dateStyle: "medium", timeStyle: "short" }),
  moment: (date) => `${WRITE.short_moment(date)} ${nameOfZone(date)}`,
};
const showLocalTimes = () => {
  if ("zoneIsChosen" in root.dataset || zone === root.dataset.timeZone) return;
  for (const time of document.querySelectorAll("time[data-local]")) {
    const date = new Date(time.dateTime);
    time.textContent = WRITE[time.dataset.local](date);
    time.removeAttribute("data-local");
  }
};

document.addEventListener("htmx:afterSwap", showLocalTimes);
const focusHeading = () => {
  const heading = document.querySelector("main h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
};
document.addEventListener("DOMContentLoaded", () => {
  showLocalTimes();
  toCure()?.focus();
  /* A form led here: one goes on from the heading. */
  if (document.activeElement === document.body && document.querySelector(".toast")) focusHeading();
});

/* htmx put a form or its successor in place: a new page for the eye, so the focus begins anew too. */
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "content") return;
  if (toCure()) toCure().focus();
  else focusHeading();
  /* The page that came has scripts of its own, which htmx leaves out with its head. */
  const came = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  const known = [...document.scripts].map((script) => script.src);
  for (const { src, type } of came.scripts) {
    if (known.includes(src)) continue;
    const script = document.createElement("script");
    Object.assign(script, { src, type });
    document.head.append(script);
  }
});

/* An error whose answer names its place is a page to be shown there: a form that nobody answered, with its text. */
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.isError || !detail.xhr.getResponseHeader("HX-Retarget")) return;
  detail.shouldSwap = true;
  detail.isError = false;
});

/* Menus and small forms close by Escape, and by a click elsewhere, unless something was typed. */
const OPEN = "details:is(.filter-menu, [name=change])[open]";
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(OPEN)) {
    menu.open = menu.contains(target) || menu.querySelector(".form :is(:user-valid, :user-invalid)");
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && !event.defaultPrevented && event.target.closest?.(OPEN);
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

/* The menu of small screens covers the page: whoever leaves it with the keyboard has closed it. */
document.getElementById("sidebar")?.addEventListener("focusout", (event) => {
  const menu = event.currentTarget;
  if (event.relatedTarget && !menu.contains(event.relatedTarget) && menu.matches(":popover-open")) menu.hidePopover();
});

/* For 5 s a cookie names the page that was left, for reloads (portal/web/query_client.py).
   Chromium, which alone has userAgentData, marks a reload itself. Back to an address that htmx pushed is no reload. */
const sayLeft = (value, seconds) => {
  document.cookie = `${secure && "__Host-"}left_page=${value}; path=/; max-age=${seconds}; samesite=lax${secure}`;
};
const markOf = (address) => {
  let mark = 0;
  for (const code of new TextEncoder().encode(address)) mark = (Math.imul(mark, 31) + code) >>> 0;
  return mark;
};
let goesBack = false;
sayLeft("", 0);
window.addEventListener("popstate", () => {
  goesBack = true;
  setTimeout(() => (goesBack = false), 1000);
});
window.addEventListener("beforeunload", () => {
  const own = "userAgentData" in navigator ? 0 : markOf(location.pathname + location.search);
  sayLeft(goesBack ? "-" : own, 5);
});

/* The address may change without a page load; the language switch follows. */
const followAddress = () => {
  root.dataset.pathname = location.pathname;
  for (const next of document.querySelectorAll("form[action='/locale'] [name=next]")) {
    next.value = location.pathname + location.search;
  }
};
for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
  document.addEventListener(name, followAddress);
}
