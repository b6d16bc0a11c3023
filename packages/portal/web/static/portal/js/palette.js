/* The palette: the search over everything in a dialog. The pages of the menu and the records that were opened last are
   found here; htmx asks the server for the rest. shortcuts.js opens the dialog, and loads this module then. */
const MIN_CHARS = 2;
const root = document.documentElement;
const link = ({ href, press, title, detail = "" }, role) => {
  const made = document.createElement("a");
  made.className = "found-row";
  if (href) made.href = href;
  else made.addEventListener("click", () => palette.close() ?? press());
  if (role) Object.assign(made, { role, tabIndex: -1, ariaSelected: "false" });
  for (const [name, text] of [["found-title", title], ["found-detail", detail]]) {
    if (!text) continue;
    const part = document.createElement("span");
    part.className = name;
    part.textContent = text;
    made.append(part);
  }
  return made;
};
/* What a kind of record is called: as the menu has it in this language, else as it was called when it was opened. */
const entryOf = ({ path, title, kind }) => {
  const href = `/${root.lang}${path}`;
  const list = href.replace(/\/[^/]+$/, "");
  const entry = [...document.querySelectorAll("#sidebar nav a")].find((each) => each.pathname === list);
  return { href, title, detail: entry?.lastChild.textContent.trim() ?? kind };
};
const recentEntries = () => window.recentRecords.read().map(entryOf);

/* The search page shows them too, while nothing is searched for. */
const showRecentOnPage = () => {
  const place = document.querySelector("main [data-recent]:empty");
  const entries = recentEntries();
  if (!place || !entries.length) return;
  const heading = document.createElement("h2");
  heading.className = "side-label";
  heading.textContent = place.dataset.recent;
  place.append(heading, ...entries.map((each) => link(each)));
};
showRecentOnPage();
document.addEventListener("htmx:afterSwap", showRecentOnPage);

/* --- The dialog --- */
const palette = document.getElementById("palette");
const field = document.getElementById("palette-q");
const list = document.getElementById("palette-list");
const own = document.getElementById("palette-own");
const found = document.getElementById("palette-found");
const status = document.getElementById("palette-status");

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ı", "i");
const matches = (entry, words) => words.every((word) => plain(`${entry.title} ${entry.detail ?? ""}`).includes(word));
/* As the server ranks rows: what begins with the text, then what has a word that begins so, then the rest. */
const rank = ({ name, title }, text) => {
  const at = ` ${plain(name ?? title)}`.indexOf(` ${text}`);
  return at < 0 ? 2 : Math.min(at, 1);
};

const pages = () => {
  const entries = [];
  for (const each of document.querySelectorAll("#sidebar :is(nav a, .account-who, .sidebar-foot > .side-link)")) {
    const name = each.dataset.shortcutName ?? each.lastChild.textContent.trim();
    const title = each.matches(".pin") ? each.title : palette.dataset.goTo.replace("%s", () => name);
    entries.push({ href: each.href, title, name });
    if (each.dataset.create) entries.push({ href: each.dataset.create, title: each.dataset.createLabel });
  }
  return entries;
};
/* What the page and its frame do, by their own buttons. */
const pressing = (selector) =>
  [...document.querySelectorAll(selector)].map((each) => ({
    title: (each.title || each.textContent).trim(),
    press: () => {
      each.click();
      each.closest("details")?.querySelector("form :is(input:not([type=hidden]), select)")?.focus();
    },
  }));
const actions = () => pressing("main :is(.head, .changes) :is(.button, .copy):not(details form *, [data-shortcut='c'])");
const settings = () => pressing("form[action='/locale'] button:not([aria-current]), #sidebar [data-sign-out] button");

const options = () => [...list.querySelectorAll("[role=option]")].filter((each) => !each.closest("[data-stale]"));
const active = () => list.querySelector("[aria-selected=true]");
const activate = (option) => {
  if (active()) active().ariaSelected = "false";
  if (!option) return field.removeAttribute("aria-activedescendant");
  option.ariaSelected = "true";
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
};
const activateFirst = () => {
  const all = options();
  field.ariaExpanded = String(all.length > 0);
  activate(all[0]);
};

const group = (name, label, entries) => {
  if (!entries.length) return [];
  const made = document.createElement("div");
  const heading = document.createElement("p");
  Object.assign(heading, { className: "side-label", id: `palette-${name}`, role: "presentation", textContent: label });
  made.role = "group";
  made.setAttribute("aria-labelledby", heading.id);
  const links = entries.map((each) => link(each, "option"));
  links.forEach((each, place) => (each.id = `${heading.id}-${place}`));
  made.append(heading, ...links);
  return [made];
};
const showOwn = () => {
  const text = plain(field.value.trim());
  const words = text.split(/\s+/);
  const best = (entries) => Math.min(...entries.map((each) => rank(each, text)));
  const groups = Object.entries({ recent: recentEntries(), pages: pages(), actions: actions(), settings: settings() })
    .map(([name, entries]) => [name, entries.filter((each) => matches(each, words))])
    .sort(([, one], [, other]) => best(one) - best(other) || 0);
  const ranked = (entries) => entries.sort((one, other) => rank(one, text) - rank(other, text));
  own.replaceChildren(...groups.flatMap(([name, entries]) => group(name, palette.dataset[name], ranked(entries))));
};
const empty = () => {
  found.replaceChildren();
  found.removeAttribute("data-stale");
  status.textContent = "";
};

/* Who is fast has typed something before this module was there. */
palette.addEventListener("opened", () => {
  if (!field.value) empty();
  showOwn();
  activateFirst();
});

/* What was found for another text is no longer offered: Enter must not open it. */
field.addEventListener("input", () => {
  htmx.trigger(field, "htmx:abort");
  found.toggleAttribute("data-stale", found.childElementCount > 0);
  if (field.value.trim().length < MIN_CHARS) empty();
  showOwn();
  activateFirst();
});
field.addEventListener("htmx:beforeRequest", (event) => {
  if (field.value.trim().length < MIN_CHARS) event.preventDefault();
});
palette.addEventListener("htmx:afterSettle", () => {
  if (own.childElementCount && !found.childElementCount) status.textContent = "";
});
palette.addEventListener("htmx:afterSwap", () => {
  found.removeAttribute("data-stale");
  if (!active()) activateFirst();
  else field.ariaExpanded = "true";
});
/* The page's own message would be behind the dialog. */
for (const failure of ["htmx:responseError", "htmx:sendError"]) {
  field.addEventListener(failure, (event) => {
    event.stopPropagation();
    empty();
    status.textContent = document.body.dataset[navigator.onLine ? "noAnswer" : "offline"];
  });
}
field.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const all = options();
  const at = all.indexOf(active());
  if (event.key === "ArrowDown") activate(all[(at + 1) % all.length]);
  else if (event.key === "ArrowUp") activate(all.at(at <= 0 ? -1 : at - 1));
  else if (event.key === "Enter" && active()) {
    const { ctrlKey, metaKey, shiftKey } = event;
    active().dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
  } else return;
  event.preventDefault();
});
