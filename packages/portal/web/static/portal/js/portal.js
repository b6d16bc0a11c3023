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
  });

  document.addEventListener("DOMContentLoaded", () => {
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
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    /* An error whose answer names its place is a page to be shown there: a form that nobody answered, with its text. */
    if (detail.isError && detail.xhr.getResponseHeader("HX-Retarget")) {
      detail.shouldSwap = true;
      detail.isError = false;
    }
    if (detail.target.id === "rows") rowsBefore = new Set(detail.target.querySelectorAll("[data-row-id]"));
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

  /* The address may change without a page load; what the page says about itself follows. */
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, () => (root.dataset.pathname = location.pathname));
  }
})();
