/* Rows of a list are selected, to change them together: each gets a box, and a bar tells how many there are. */
const bar = document.getElementById("select");
const selected = new Set();
let last = null;

const boxes = () => [...document.querySelectorAll("#rows .pick input")];
const show = () => {
  bar.classList.toggle("open", selected.size > 0);
  bar.querySelector("[role=status]").textContent = selected.size
    ? bar.dataset.selected.replace("[number]", selected.size.toLocaleString(document.documentElement.lang))
    : "";
};
const select = (box, checked) => {
  box.checked = checked;
  box.closest("tr").toggleAttribute("data-selected", checked);
  if (checked) selected.add(box.value);
  else selected.delete(box.value);
};

/* The rows of each answer get boxes; what is not shown any more is not selected either. */
const addBoxes = () => {
  for (const row of document.querySelectorAll("#rows > [data-row-id]")) {
    const heading = row.querySelector("th");
    if (!heading || row.querySelector(".pick")) continue;
    const place = document.createElement("span");
    place.className = "pick";
    const box = document.createElement("input");
    const name = heading.textContent.trim();
    Object.assign(box, { type: "checkbox", value: row.dataset.rowId, ariaLabel: bar.dataset.name.replace("[name]", () => name) });
    place.append(box);
    heading.append(place);
    select(box, selected.has(box.value));
  }
  const shown = new Set(boxes().map((box) => box.value));
  for (const each of selected) if (!shown.has(each)) selected.delete(each);
  show();
};
addBoxes();
document.addEventListener("htmx:afterSettle", addBoxes);

/* With Shift, all between this row and the last one. */
const toggle = (box, checked, isRange) => {
  const all = boxes();
  const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
  for (const each of isRange && from >= 0 ? all.slice(from, to + 1) : [box]) select(each, checked);
  last = box;
  show();
};
document.addEventListener("click", (event) => {
  const box = event.target.closest?.("#rows .pick input");
  if (box) toggle(box, box.checked, event.shiftKey);
});
document.addEventListener("select-row", ({ detail: { isRange } }) => {
  const box = document.activeElement?.closest("#rows > tr")?.querySelector(".pick input");
  if (box) toggle(box, isRange || !box.checked, isRange);
});

bar.addEventListener("reset", () => {
  for (const box of boxes()) select(box, false);
  show();
});
bar.addEventListener("submit", (event) => {
  event.preventDefault();
  const rows = [...selected].map((id) => ["row", id]);
  location.assign(`${bar.action}?${new URLSearchParams([["list", location.search.slice(1)], ...rows])}`);
});
