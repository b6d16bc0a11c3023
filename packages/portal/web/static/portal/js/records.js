/* The page of a record: it is remembered, it leads back to its list, and its address and facts are copied by one press. */
(() => {
  "use strict";
  const SHOWN_MS = 2000;
  const MAX_TITLE_CHARS = 200;

  /* The palette offers the records that were opened last; one that is gone is no longer among them. The language of a
     page is the first part of its path, and may be another one next time. */
  const remember = () => {
    const kept = window.recentRecords;
    const heading = document.querySelector("main [data-record] h1");
    if (!kept) return; // nobody is signed in on this page
    if (!heading && !document.querySelector("main .failure[data-status='404']")) return;
    const path = location.pathname.replace(/^\/[^/]+/, "");
    const records = kept.read().filter((each) => each.path !== path);
    if (heading) {
      const title = heading.textContent.trim().slice(0, MAX_TITLE_CHARS);
      records.unshift({ path, title, kind: heading.closest("[data-record]").dataset.record });
    }
    kept.write(records);
  };
  remember();
  document.addEventListener("htmx:afterSettle", (event) => event.target.id === "content" && remember());

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

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.dataset.copy || location.href);
    } catch {
      /* The browser does not let this page write: without https, or where it is forbidden. The text can be marked. */
      if (!button.dataset.copy) return void prompt(button.title, location.href);
      const range = document.createRange();
      range.selectNodeContents(button.parentElement);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return;
    }
    button.dataset.done = "";
    document.getElementById("said")?.replaceChildren(button.dataset.copied);
    setTimeout(() => {
      delete button.dataset.done;
      document.getElementById("said")?.replaceChildren();
    }, SHOWN_MS);
  });
})();
