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

  const showToast = (text) => {
    const shelf = document.getElementById("toasts");
    const template = document.getElementById("toast-template");
    if (!shelf || !template || !text) return;
    const toast = template.content.firstElementChild.cloneNode(true);
    toast.querySelector(".toast-text").textContent = text;
    toast.dataset.fading = "";
    shelf.append(toast);
    fadeLater(toast);
  };

  /* A problem document says what went wrong, in the page's language. */
  const problemText = (xhr) => {
    try {
      const problem = JSON.parse(xhr.responseText);
      return problem.detail || problem.title;
    } catch {
      return null;
    }
  };

  /* After every page, and after htmx put a form or its successor in place. */
  const welcome = () => {
    for (const toast of document.querySelectorAll(".toast:not([data-fading])")) {
      toast.dataset.fading = "";
      fadeLater(toast);
    }
    document.querySelector("main [aria-invalid='true'], main .notice[tabindex]")?.focus();
  };

  document.addEventListener("click", (event) => {
    event.target.closest("[data-close-toast]")?.closest(".toast").remove();
  });

  document.addEventListener("DOMContentLoaded", welcome);
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "content") welcome();
  });

  /* An error whose answer names its place is a page to be shown there: a form that nobody answered, with its text. */
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.isError || !event.detail.xhr.getResponseHeader("HX-Retarget")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });

  /* "Load more" appends the server's next page; a row that is already shown stays where it is. */
  document.addEventListener("htmx:afterSwap", (event) => {
    const rows = event.detail.target.closest?.("#rows");
    if (!rows) return;
    const seen = new Set();
    for (const row of [...rows.querySelectorAll("[data-row-id]")]) {
      if (seen.has(row.dataset.rowId)) row.remove();
      seen.add(row.dataset.rowId);
    }
  });

  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.elt.hasAttribute("data-placeholder")) return;
    showToast(problemText(event.detail.xhr) || document.body.dataset.offline);
  });

  document.addEventListener("htmx:sendError", () => showToast(document.body.dataset.offline));

  /* The address may change without a page load; what the page says about itself follows. */
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, () => (root.dataset.pathname = location.pathname));
  }
})();
