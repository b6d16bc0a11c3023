/* Buttons that copy a text, or without one the address of the page. */
const SHOWN_MS = 2000;
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
