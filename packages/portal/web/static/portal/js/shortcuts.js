/* Keyboard shortcuts. An element says which key presses it: data-shortcut="e", or two in turn, data-shortcut="g h".
   Single keys can be switched off (WCAG 2.1.4); they never act while somebody types, or above an open dialog. */
const OFF = "portal.single-keys";
const SECOND_KEY_MS = 1500;
const dialog = document.getElementById("shortcuts");

const areOff = () => window.quietly(() => localStorage.getItem(OFF)) === "off";

/* A letter of another alphabet counts as the Latin one of the same key. */
const keyOf = (event) => {
  if (/^[\x21-\x7e]$/.test(event.key)) return event.shiftKey ? event.key : event.key.toLowerCase();
  if (event.key.length !== 1) return "";
  if (/^Key[A-Z]$/.test(event.code)) return event.shiftKey ? event.code[3] : event.code[3].toLowerCase();
  return event.code === "Slash" ? (event.shiftKey ? "?" : "/") : "";
};
const FIELDS = "input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable], [role=textbox]";
/* A dialog that has just been closed may still have the focus. */
const isTyping = (target) => target.closest?.(FIELDS) && !target.closest("dialog:not([open])");
const isCovered = () => document.querySelector("dialog[open], [popover]:popover-open");

/* --- The palette: its dialog is there at once, and what fills it (palette.js) is loaded with the first opening. --- */
const palette = document.getElementById("palette");
const loadPalette = () => import(palette.dataset.script);
const openPalette = () => {
  if (!palette || document.querySelector("dialog[open]")) return;
  document.getElementById("sidebar")?.hidePopover();
  const field = palette.querySelector("[role=combobox]");
  field.value = "";
  palette.showModal();
  field.focus();
  /* Without it, the form in the dialog leads to the page of the search. */
  loadPalette().then(() => palette.dispatchEvent(new Event("opened")), () => {});
};
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-open-palette]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openPalette();
});
/* The page of the search shows recent records as the palette does. */
if (palette && document.querySelector("main [data-recent]")) loadPalette();
if (/Mac/.test(navigator.platform)) {
  for (const keys of document.querySelectorAll("[data-open-palette] kbd")) keys.textContent = "⌘ K";
}

/* The dialog of the keys, and the page of the help, which shows the same (keys.js). */
const loadKeys = () => import(dialog.dataset.script);
const showKeys = () => {
  if (!dialog) return;
  dialog.showModal();
  const ask = () => htmx.trigger("#shortcuts-keys", "wanted");
  loadKeys().then(ask, ask);
};
if (dialog && document.querySelector("main [data-single-keys]")) loadKeys();

const moveTo = (step) => {
  const links = [...document.querySelectorAll("main [data-row-id]")].map((row) => row.querySelector("a[href]"));
  const rows = links.filter(Boolean);
  const at = rows.findIndex((each) => each.closest("[data-row-id]").contains(document.activeElement));
  rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
  return rows.length > 0;
};

let first = "";
let timer = 0;
const press = (key) => {
  const keys = first ? `${first} ${key}` : key;
  const known = [...document.querySelectorAll("[data-shortcut]")].map((each) => [each.dataset.shortcut, each]);
  const target = known.findLast(([shortcut]) => shortcut === keys)?.[1];
  const begins = !first && !target && known.some(([shortcut]) => shortcut.startsWith(`${key} `));
  first = begins ? key : "";
  clearTimeout(timer);
  if (begins) timer = setTimeout(() => (first = ""), SECOND_KEY_MS);
  target?.click();
  return Boolean(target) || begins;
};

const selectRow = (isRange) => document.dispatchEvent(new CustomEvent("select-row", { detail: { isRange } }));
const ACTIONS = {
  "/": () => openPalette() ?? true,
  "?": () => showKeys() ?? true,
  j: () => moveTo(1),
  k: () => moveTo(-1),
  x: () => selectRow(false),
  X: () => selectRow(true),
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  if (event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey && key === "k") {
    /* On a Mac, Ctrl+K deletes to the end of the line. */
    if (event.ctrlKey && isTyping(event.target) && /Mac/.test(navigator.platform)) return;
    event.preventDefault();
    openPalette();
    return;
  }
  const isModified = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
  if (!key || isModified || event.metaKey || areOff() || isTyping(event.target) || isCovered()) return;
  if (event.repeat && !"jk".includes(key)) return;
  const act = !first && ACTIONS[key];
  if (act ? act() : press(key)) event.preventDefault();
});
