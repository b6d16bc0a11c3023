/* The page of a record: it is remembered, and it leads back to its list. */
(() => {
  "use strict";
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

  /* From a row's page one goes back to the list as it was (lists.js keeps it), also after the row was made or edited. */
  const leadBack = () => {
    const back = document.querySelector("a[data-back]");
    try {
      const key = `list-of:${location.pathname.replace(/^\/[^/]+/, "")}`;
      if (back) back.search = sessionStorage[key] ||= back.search;
      /* What is kept now does not have to be copied with the address. */
      if (location.search.startsWith("?listUrl=")) history.replaceState(history.state, "", location.pathname);
    } catch {
      /* A browser that keeps nothing: the link leads to where the server thinks. */
    }
  };
  leadBack();
  document.addEventListener("htmx:afterSettle", leadBack);

  /* Who opens the form of an action goes on in it. */
  document.querySelector("main")?.addEventListener("toggle", ({ target }) => {
    if (target.matches("details[name=change][open]")) {
      target.querySelector("form :is(input:not([type=hidden]), select, button)")?.focus();
    }
  }, true);
})();
