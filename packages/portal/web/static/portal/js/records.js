/* The page of a record: a fact is copied by one press, and the page says so. */
(() => {
  "use strict";
  const SHOWN_MS = 2000;

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      /* The browser does not let this page write: without https, or where it is forbidden. The text can be marked. */
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
