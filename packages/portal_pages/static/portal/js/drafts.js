/* Drafts: what is typed into a form outlives a sign-in that ends, and a change of the language.

   It is kept in this tab alone, under the form's address without its language: a form that begins with something chosen
   (`?stationId=`) is another one. kept.js removes what is of another account, or from before a sign-out. Passwords, files
   and tokens are never kept. Whoever leaves a changed form by another way is asked. */
const PREFIX = "draft:";
const MAX_AGE_MS = 12 * 60 * 60 * 1000;
const MAX_CHARS = 64 * 1024;
const MAX_DRAFTS = 10;
const SAVE_AFTER_MS = 300;
const NEVER_KEPT = new Set(["csrfmiddlewaretoken", "madeFor"]);
const NO_VALUES = new Set(["password", "file", "submit", "button", "reset", "image"]);
const OWNER = "draft:of";

/* The address may be another one by the time that the form's answer is here. */
const addresses = new WeakMap();
const keyOf = (form) => {
  if (!addresses.has(form)) {
    const path = new URL(form.getAttribute("action"), location.href).pathname;
    addresses.set(form, PREFIX + path.replace(/^\/[a-z]{2}(?=\/|$)/, "") + location.search);
  }
  return addresses.get(form);
};
const draftForms = () => document.querySelectorAll("form[data-draft]");

const { quietly } = window;
const keys = () => Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX) && key !== OWNER);
const read = (key) => quietly(() => JSON.parse(sessionStorage.getItem(key)));
const forget = (key) => quietly(() => sessionStorage.removeItem(key));
const isFresh = (draft) => draft && Date.now() - draft.at < MAX_AGE_MS;

const kept = (form) => [...form.elements].filter((one) => one.name && !NO_VALUES.has(one.type) && !NEVER_KEPT.has(one.name));
const isMark = (one) => one.type === "checkbox" || one.type === "radio";
const selected = (one) => [...one.options].filter((option) => option.selected).map((option) => option.value);
const valueOf = (one) => (one.type === "select-multiple" ? selected(one) : one.value);

/* The browser's form of what the page gave: a time has no seconds where they are 0. */
const shownFirst = (one) => Object.assign(one.cloneNode(), { value: one.defaultValue }).value;
const isChanged = (one) => {
  if (one.type === "hidden" || NO_VALUES.has(one.type)) return false;
  if (isMark(one)) return one.checked !== one.defaultChecked;
  if (one.type === "select-one") {
    return one.selectedIndex !== Math.max(0, [...one.options].findIndex((option) => option.defaultSelected));
  }
  if (one.type === "select-multiple") return [...one.options].some((option) => option.selected !== option.defaultSelected);
  return "defaultValue" in one && one.value !== shownFirst(one);
};
const isUnsaved = (form) => form.hasAttribute("data-unsaved") || [...form.elements].some(isChanged);
const unsavedForm = () => [...draftForms()].find(isUnsaved);

const save = (form) => {
  /* In a conflict, the draft from before says what this user had seen. */
  if (!quietly(() => sessionStorage.getItem(OWNER)) || form.elements.inConflict) return;
  const key = keyOf(form);
  if (!isUnsaved(form)) return forget(key);
  const fields = kept(form).map((one) => [one.name, valueOf(one), isMark(one) ? one.checked : null]);
  const text = JSON.stringify({ at: Date.now(), fields });
  quietly(() => {
    const others = keys().filter((other) => other !== key);
    others.sort((one, other) => read(one).at - read(other).at);
    others.slice(0, Math.max(0, others.length - MAX_DRAFTS + 1)).forEach(forget);
    if (text.length <= MAX_CHARS) sessionStorage.setItem(key, text);
  });
};

const restore = (form, draft) => {
  const fields = [...draft.fields];
  for (const one of kept(form)) {
    const at = fields.findIndex(([name, value]) => name === one.name && (!isMark(one) || value === one.value));
    if (at < 0) continue;
    const [[, value, checked]] = fields.splice(at, 1);
    if (isMark(one)) one.checked = checked;
    else if (one.type === "select-multiple") for (const each of one.options) each.selected = value.includes(each.value);
    else one.value = value;
  }
  form.querySelector("[data-draft-note]").hidden = false;
};

const show = () => {
  for (const form of draftForms()) {
    const draft = read(keyOf(form));
    if (form.hasAttribute("data-unsaved")) save(form);
    else if (isFresh(draft)) restore(form, draft);
    else forget(keyOf(form));
  }
};

/* Whether the page is left by a way that keeps the draft; whether the user was asked, and so gives it up. */
let keepsDraft = false;
let asked = false;
let timer;

const saveLater = (event) => {
  const form = event.target.form;
  if (!form?.matches?.("[data-draft]")) return;
  keepsDraft = false;
  clearTimeout(timer);
  timer = setTimeout(() => save(form), SAVE_AFTER_MS);
};
document.addEventListener("input", saveLater);
document.addEventListener("change", saveLater);

document.addEventListener("click", (event) => {
  const form = event.target.closest("[data-draft-discard]")?.form;
  if (!form) return;
  clearTimeout(timer);
  forget(keyOf(form));
  form.removeAttribute("data-draft");
  location.replace(location.href);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  clearTimeout(timer);
  if (form.matches("[data-sign-out]")) return;
  const typed = unsavedForm();
  if (form !== typed && form.getAttribute("action") !== "/locale") return;
  if (typed) save(typed);
  keepsDraft = true;
}, true);

/* htmx would put another page in the form's place. */
document.addEventListener("htmx:confirm", (event) => {
  const { elt, target } = event.detail;
  const form = unsavedForm();
  if (!form || form === elt || form.contains(elt) || !target?.contains?.(form)) return;
  if (window.confirm(form.dataset.leave)) forget(keyOf(form));
  else event.preventDefault();
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  /* The form itself, which may be gone from the page by now. */
  const { xhr, requestConfig: { elt } } = detail;
  if (xhr.getResponseHeader("HX-Redirect")) return void (keepsDraft = true);
  if (!elt.matches?.("form[data-draft]")) return;
  keepsDraft = false;
  const arrived = xhr.responseURL && new URL(xhr.responseURL).pathname;
  const left = detail.successful && arrived !== new URL(elt.getAttribute("action"), location.href).pathname;
  if (left || xhr.status === 404) forget(keyOf(elt));
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "content") show();
});

window.addEventListener("beforeunload", (event) => {
  asked = !keepsDraft && Boolean(unsavedForm());
  if (asked) event.preventDefault();
});
window.addEventListener("pagehide", () => {
  const form = unsavedForm();
  if (!form) return;
  clearTimeout(timer);
  if (asked && !keepsDraft) forget(keyOf(form));
  else save(form);
});

show();

/* Who opens a form begins to type; on a phone the keyboard would cover it. */
if (document.activeElement === document.body && matchMedia("(hover: hover)").matches) {
  document.querySelector("form[data-draft] .form-fields :is(input:not([type=hidden]), select, textarea)")?.focus();
}
