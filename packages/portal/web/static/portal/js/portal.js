/* What the pages do better with scripts. Nothing depends on it: every form and link works alone. */
(() => {
  "use strict";
  const TOAST_MS = 7000;
  const root = document.documentElement;

  const fadeLater = (toast) => {
    let timer = setTimeout(() => toast.remove(), TOAST_MS);
    toast.addEventListener("mouseenter", () => clearTimeout(timer));
    toast.addEventListener("mouseleave", () => (timer = setTimeout(() => toast.remove(), TOAST_MS)));
  };

  /* What went wrong stays until it is closed; said again, it stands once. */
  const showError = ({ title = "", detail = "" }) => {
    const shelf = document.getElementById("toasts");
    const template = document.getElementById("toast-template");
    if (!shelf || !template || !(title || detail)) return;
    const toast = template.content.firstElementChild.cloneNode(true);
    toast.querySelector(".toast-text strong").textContent = title;
    toast.querySelector(".toast-text span").textContent = detail;
    for (const shown of shelf.querySelectorAll(".toast.error")) {
      if (shown.textContent === toast.textContent) shown.remove();
    }
    shelf.append(toast);
  };

  const offline = () => ({ detail: document.body.dataset.offline });

  /* A problem document says what went wrong, in the page's language. */
  const problemOf = (xhr) => {
    try {
      const { title, detail } = JSON.parse(xhr.responseText);
      return title || detail ? { title, detail } : offline();
    } catch {
      return offline();
    }
  };

  const fadeToasts = () => {
    for (const toast of document.querySelectorAll(".toast:not(.error, [data-fading])")) {
      toast.dataset.fading = "";
      fadeLater(toast);
    }
  };

  /* Where a form is to be cured: the first field that is not valid, or what the page says of all of it. */
  const toCure = () => document.querySelector("main [aria-invalid='true'], main form .notice[tabindex]");

  document.addEventListener("click", (event) => {
    event.target.closest("[data-close-toast]")?.closest(".toast").remove();
    /* The link leads to this very page, which does; a reload also stays where one has scrolled to. */
    if (!event.target.closest("[data-refresh]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.reload();
  });

  /* The server writes times in UTC; here they are the reader's own. */
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const LOCAL = {
    day: { dateStyle: "medium" },
    clock,
    moment: { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" },
  };
  const showLocalTimes = () => {
    for (const time of document.querySelectorAll("time[data-local]")) {
      const style = LOCAL[time.dataset.local];
      time.removeAttribute("data-local");
      time.title = time.textContent;
      time.textContent = new Intl.DateTimeFormat(root.lang, style).format(new Date(time.dateTime));
    }
  };

  document.addEventListener("htmx:afterSwap", showLocalTimes);
  document.addEventListener("DOMContentLoaded", () => {
    showLocalTimes();
    fadeToasts();
    toCure()?.focus();
  });

  /* htmx put a form or its successor in place: a new page for the eye, so the focus begins anew too. */
  document.addEventListener("htmx:afterSettle", (event) => {
    fadeToasts();
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

  /* "Load more" appends the server's next page; a row that is already shown stays where it is. The link that was
     pressed is gone, or another one now: the focus goes on to the first of the new rows. */
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
    if (["BODY", "load-more"].includes(document.activeElement.id || document.activeElement.tagName)) {
      added[0]?.querySelector("a[href], button")?.focus();
    }
  });

  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.elt.hasAttribute("data-placeholder")) return;
    showError(problemOf(event.detail.xhr));
  });

  document.addEventListener("htmx:sendError", () => showError(offline()));

  /* The menu of small screens covers the page: whoever leaves it with the keyboard has closed it. */
  document.getElementById("sidebar")?.addEventListener("focusout", (event) => {
    const menu = event.currentTarget;
    if (event.relatedTarget && !menu.contains(event.relatedTarget) && menu.matches(":popover-open")) menu.hidePopover();
  });

  /* When this page is left, a cookie says for some seconds which one it was: whoever asks for the same page again, reloads
     it (portal/web/reload.py). Chromium, which alone has userAgentData, marks a reload itself: there it names no page.
     Back to an address that htmx had pushed, htmx loads the page anew: that is no reload of the user's. */
  const sayLeft = (value, seconds) => {
    const secure = location.protocol === "https:" ? "; secure" : "";
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

  /* The address may change without a page load; what the page says about itself follows. */
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, () => (root.dataset.pathname = location.pathname));
  }
})();
