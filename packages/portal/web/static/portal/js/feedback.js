/* What the page says about what is done: toasts, and what is under way. Without scripts, toasts are part of the page. */
const TOAST_MS = 7000;
const UNDO_MS = 10_000;
/* A short wait is not worth a word; and a screen reader needs a moment until it listens to a new page. */
const SAY_AFTER_MS = 400;
/* A form whose page does not go away, for it led to a file: it may be sent again. */
const BUSY_MS = 30_000;
const root = document.documentElement;
const words = document.body.dataset;

let waitsToSay = null;
const say = (text) => {
  clearTimeout(waitsToSay);
  waitsToSay = setTimeout(() => document.getElementById("said")?.replaceChildren(text), text ? SAY_AFTER_MS : 0);
};

/* --- toasts --- */
const shelf = () => document.getElementById("toasts");

/* What went wrong stays until it is closed, and so does what holds something to press, but for an "Undo". Nothing
   vanishes under a hand. */
const fadeToasts = () => {
  for (const toast of document.querySelectorAll(".toast:not(.error, [data-fading])")) {
    const undoes = toast.querySelector("[data-undo]");
    if (!undoes && toast.querySelector("form, a")) continue;
    toast.dataset.fading = "";
    let timer = 0;
    const pause = () => clearTimeout(timer);
    const restart = () => {
      pause();
      if (!toast.matches(":hover, :focus-within")) timer = setTimeout(() => toast.remove(), undoes ? UNDO_MS : TOAST_MS);
    };
    for (const name of ["mouseenter", "focusin"]) toast.addEventListener(name, pause);
    toast.addEventListener("mouseleave", restart);
    toast.addEventListener("focusout", () => setTimeout(restart));
    restart();
  }
};

/* Toasts stand below the page: whoever reads its end goes on to see it. */
const keepEndInSight = () => {
  const left = root.scrollHeight - window.scrollY - window.innerHeight;
  if (left > 0 && left < shelf().offsetHeight + 96) window.scrollTo({ top: root.scrollHeight, behavior: "instant" });
};

/* Said again, it stands once; and until there is an answer at its place. */
const showError = ({ title = "", detail = "" }, place) => {
  const template = document.getElementById("toast-template");
  if (!shelf() || !template || !(title || detail)) return;
  const toast = template.content.firstElementChild.cloneNode(true);
  toast.querySelector(".toast-text strong").textContent = title;
  toast.querySelector(".toast-text span").textContent = detail;
  for (const shown of shelf().querySelectorAll(".toast.error")) {
    if (shown.textContent === toast.textContent) shown.remove();
  }
  toast.dataset.of = navigator.onLine ? place?.id : "offline";
  shelf().append(toast);
  keepEndInSight();
};
const dropErrors = (of) => document.querySelectorAll(`.toast[data-of="${of}"]`).forEach((toast) => toast.remove());
window.addEventListener("online", () => dropErrors("offline"));

const noAnswer = () => ({ detail: navigator.onLine ? words.noAnswer : words.offline });

const problemOf = (xhr) => {
  const problem = window.quietly(() => JSON.parse(xhr.responseText));
  return problem?.title || problem?.detail ? problem : noAnswer();
};

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.elt.hasAttribute("data-placeholder")) return;
  showError(problemOf(event.detail.xhr), event.detail.target);
});
document.addEventListener("htmx:sendError", ({ detail }) => showError(noAnswer(), detail.target));
document.addEventListener("htmx:afterSettle", () => {
  fadeToasts();
  keepEndInSight();
});
document.addEventListener("click", (event) => {
  event.target.closest("[data-close-toast]")?.closest(".toast").remove();
});
document.addEventListener("DOMContentLoaded", () => {
  fadeToasts();
  /* A live region tells what changes, and these came with the page. */
  const came = [...document.querySelectorAll(".toast:not(.error) .toast-text")];
  if (came.length) say(came.map((text) => text.textContent.trim()).join(" "));
});

/* --- what is under way: the control that was pressed, and the list that is searched --- */
const setBusy = (control, busy) => {
  if (!control) return;
  control.ariaBusy = busy ? "true" : null;
  say(busy ? words.busy : "");
};

const submitterOf = (form, submitter = null) => submitter ?? form.querySelector("button:not([type=button], [popovertarget])");

/* Until its answer comes, a plain form is sent once. */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method === "dialog") return;
  const button = submitterOf(form, event.submitter);
  if (button?.hasAttribute("aria-busy")) {
    event.preventDefault();
    return;
  }
  setBusy(button, true);
  setTimeout(() => setBusy(button, false), BUSY_MS);
});
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const control of document.querySelectorAll("[aria-busy]")) setBusy(control, false);
});

const underWay = ({ elt, target, requestConfig }) => {
  if (elt.matches("[role=search]")) return target;
  return elt.matches("form") ? submitterOf(elt, requestConfig?.triggeringEvent?.submitter) : elt;
};
for (const [name, busy] of [["htmx:beforeRequest", true], ["htmx:afterRequest", false]]) {
  document.addEventListener(name, ({ detail }) => {
    setBusy(underWay(detail), busy);
    if (detail.successful) dropErrors(detail.target.id);
  });
}

/* --- dialogs: where scripts run, modal ones, which keep the focus and give it back --- */
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close-dialog]")) event.target.closest("dialog").close();
  if (event.target instanceof HTMLDialogElement) event.target.close(); // its backdrop
  const button = event.target.closest("button[popovertarget]");
  const dialog = button && document.getElementById(button.getAttribute("popovertarget"));
  if (!(dialog instanceof HTMLDialogElement)) return;
  event.preventDefault();
  if (dialog.open) dialog.close();
  else dialog.showModal();
});
