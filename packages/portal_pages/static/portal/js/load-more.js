/* "Load more": the server's next page is appended to the rows that are there. */
let rowsBefore = null;
let asOfBefore = null;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "rows") return;
  rowsBefore = new Set(detail.target.querySelectorAll("[data-row-id]"));
  asOfBefore = document.querySelector("#more [data-as-of]");
});

/* A row that is shown stays where it is, and the focus on the link; at the end it goes to what the list says. */
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
  const filled = (text) => text.replace(/\[\w+\]/g, (name) => counts[name]?.toLocaleString(document.documentElement.lang) ?? name);
  if (status) status.textContent = filled(status.dataset.appended);
  const shown = document.querySelector("#more [data-shown]");
  if (shown) shown.textContent = filled(shown.dataset.shown);
  if (document.activeElement !== document.body) return;
  const next = document.getElementById("load-more") ?? document.querySelector("#more[tabindex]");
  (next ?? added[0]?.querySelector("a[href], button"))?.focus();
});
