/* What the pages do better with scripts. Nothing depends on it: every form and link works alone. */
(() => {
  "use strict";
  const root = document.documentElement;

  /* Where a form is to be cured: the first field that is not valid, or what the page says of all of it. */
  const toCure = () => document.querySelector("main [aria-invalid='true'], main form .notice[tabindex]");

  document.addEventListener("click", (event) => {
    /* The link leads to this very page, which does; a reload also stays where one has scrolled to. */
    if (!event.target.closest("[data-refresh]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.reload();
  });

  const secure = location.protocol === "https:" ? "; secure" : "";

  /* Whoever has chosen no time zone reads the browser's own. The server learns of it here, for its next page; what it
     wrote in another zone is rewritten. */
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
      if (time.title) time.title = WRITE.moment(date);
      time.removeAttribute("data-local");
    }
  };

  document.addEventListener("htmx:afterSwap", showLocalTimes);
  document.addEventListener("DOMContentLoaded", () => {
    showLocalTimes();
    toCure()?.focus();
  });

  /* htmx put a form or its successor in place: a new page for the eye, so the focus begins anew too. */
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "content") return;
    const heading = document.querySelector("main h1");
    heading?.setAttribute("tabindex", "-1");
    (toCure() ?? heading)?.focus();
  });

  let rowsBefore = null;
  let asOfBefore = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    /* An error whose answer names its place is a page to be shown there: a form that nobody answered, with its text. */
    if (detail.isError && detail.xhr.getResponseHeader("HX-Retarget")) {
      detail.shouldSwap = true;
      detail.isError = false;
    }
    if (detail.target.id !== "rows") return;
    rowsBefore = new Set(detail.target.querySelectorAll("[data-row-id]"));
    asOfBefore = document.querySelector("#more [data-as-of]");
  });

  /* "Load more" appends the server's next page; a row that is already shown stays where it is. The focus
     stays on the link, which leads to the next page now, so that it can be pressed again; at the end it goes to what the
     list says of itself. */
  document.addEventListener("htmx:afterSwap", (event) => {
    const rows = event.detail.target.closest?.("#rows");
    if (!rows || !rowsBefore) return; // it comes once for each new row
    const seen = new Set();
    const added = [];
    for (const row of rows.querySelectorAll("[data-row-id]")) {
      if (seen.has(row.dataset.rowId)) row.remove();
      else if (!rowsBefore.has(row)) added.push(row);
      seen.add(row.dataset.rowId);
    }
    rowsBefore = null;
    /* A list is as old as its oldest page. */
    const asOf = document.querySelector("#more [data-as-of]");
    if (asOfBefore && asOf && new Date(asOfBefore.dateTime) < new Date(asOf.dateTime)) asOf.replaceWith(asOfBefore);
    const counts = { "[new]": added.length, "[all]": seen.size };
    const status = document.getElementById("list-status");
    if (status) status.textContent = status.dataset.appended.replace(/\[\w+\]/g, (name) => counts[name] ?? name);
    if (document.activeElement !== document.body) return;
    const next = document.getElementById("load-more") ?? document.querySelector("#more[tabindex]");
    (next ?? added[0]?.querySelector("a[href], button"))?.focus();
  });

  /* The menu of small screens covers the page: whoever leaves it with the keyboard has closed it. */
  document.getElementById("sidebar")?.addEventListener("focusout", (event) => {
    const menu = event.currentTarget;
    if (event.relatedTarget && !menu.contains(event.relatedTarget) && menu.matches(":popover-open")) menu.hidePopover();
  });

  /* When this page is left, a cookie says for some seconds which one it was: whoever asks for the same page again, reloads
     it (portal/web/reload.py). Chromium, which alone has userAgentData, marks a reload itself: there it names no page.
     Back to an address that htmx had pushed, htmx loads the page anew: that is no reload of the user's. */
  const sayLeft = (value, seconds) => {
    document.cookie = `left_page=${value}; path=/; max-age=${seconds}; samesite=lax${secure}`;
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

  /* The address may change without a page load; what the page says about itself follows, and so does the language
     switch. */
  const followAddress = () => {
    root.dataset.pathname = location.pathname;
    for (const next of document.querySelectorAll("form[action='/locale'] [name=next]")) {
      next.value = location.pathname + location.search;
    }
  };
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, followAddress);
  }

  /* From a row's page one goes back to the list as it was (lists.js keeps it), also after the row was edited. */
  const leadBack = () => {
    const back = document.querySelector("a[data-back]");
    try {
      const search = back && sessionStorage.getItem(`list-of:${location.pathname.replace(/^\/[^/]+/, "")}`);
      if (search) back.search = search;
    } catch {
      /* A browser that keeps nothing: the link leads to where the server thinks. */
    }
  };
  leadBack();
  document.addEventListener("htmx:afterSettle", leadBack);

  /* A click anywhere in a row is one on its link, and yet the row's text can be marked, by drawing, and copied. */
  let pressed = { x: 0, y: 0 };
  document.addEventListener("mousedown", ({ clientX: x, clientY: y }) => (pressed = { x, y }));
  const linkOf = ({ target, clientX, clientY, defaultPrevented }) => {
    const drawn = Math.hypot(clientX - pressed.x, clientY - pressed.y) > 4;
    if (drawn || defaultPrevented || target.closest("a, button, input, label, select, summary")) return null;
    return target.closest(".table tbody tr")?.querySelector("th a");
  };
  const openRow = (event) => {
    const link = linkOf(event);
    if (!link) return;
    if (event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey) window.open(link.href, "_blank", "noopener");
    else if (event.button === 0) link.click();
  };
  document.addEventListener("click", openRow);
  document.addEventListener("auxclick", openRow);
})();
