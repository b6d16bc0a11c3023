/* What lists do better with scripts. Without them, their forms and links work alone. */
(() => {
  "use strict";
  const form = document.querySelector("[data-list-form]");
  const search = document.getElementById("search");
  /* A list is the same in every language. */
  const withoutLocale = (path) => path.replace(/^\/[^/]+/, "");
  /* With a browser that keeps nothing, one goes back to the list's beginning. */
  const remember = (key, value) => window.quietly(() => sessionStorage.setItem(key, value));
  const remembered = (key) => window.quietly(() => sessionStorage.getItem(key));

  /* A choice counts at once. What is typed counts after a pause, and days when they are sent. */
  form?.addEventListener("change", (event) => {
    if (event.target.matches("select, [type=checkbox]")) htmx.trigger(form, "refine");
  });

  /* The address of a list has what is chosen, and nothing that is empty. One series of letters is one entry of the
     history: its first address is added, the further ones replace it. */
  let isTyping = false;
  form?.addEventListener("htmx:configRequest", ({ detail }) => {
    for (const name of new Set(detail.formData.keys())) {
      const values = detail.formData.getAll(name).filter(Boolean);
      detail.formData.delete(name);
      for (const value of values) detail.formData.append(name, value);
    }
    if (detail.formData.get("sort") === document.getElementById("sort")?.options[0]?.value) {
      detail.formData.delete("sort");
    }
    const menu = form.querySelector(".filter-menu[open]");
    if (menu && detail.elt === form) detail.formData.set("menu", menu.id.replace("menu-", ""));
    const isNext = isTyping && detail.triggeringEvent?.type === "input";
    form.setAttribute("hx-push-url", isNext ? "false" : "true");
    form.setAttribute("hx-replace-url", isNext ? "true" : "false");
  });
  /* Which menu is open is no part of the address. */
  document.addEventListener("htmx:beforeHistoryUpdate", ({ detail }) => {
    if (detail.requestConfig.elt !== form) return;
    const { pathname, searchParams } = new URL(detail.history.path, location.href);
    searchParams.delete("menu");
    detail.history.path = [pathname, searchParams].filter(String).join("?");
  });
  document.addEventListener("htmx:pushedIntoHistory", () => (isTyping = document.activeElement === search));
  search?.addEventListener("blur", () => (isTyping = false));
  form?.addEventListener("submit", () => (isTyping = false));

  const list = () => document.getElementById("list");
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (["list", "rows"].includes(detail.target?.id)) list()?.setAttribute("aria-busy", "true");
  });
  document.addEventListener("htmx:afterRequest", () => list()?.removeAttribute("aria-busy"));

  /* Without an answer the rows do not fit what was asked: they say so. It is sent again by hand, or once online. */
  let unanswered = null;
  const setUnanswered = ({ detail }, request) => {
    if (detail.target?.id !== "list") return;
    unanswered = request;
    list()?.toggleAttribute("data-outdated", Boolean(request));
    document.getElementById("list-outdated")?.toggleAttribute("hidden", !request);
  };
  const sendAgain = () => unanswered && htmx.ajax("GET", unanswered.path, { source: unanswered.elt }).catch(() => {});
  for (const name of ["htmx:sendError", "htmx:responseError"]) {
    document.addEventListener(name, (event) => setUnanswered(event, event.detail.requestConfig));
  }
  document.addEventListener("htmx:afterRequest", (event) => event.detail.successful && setUnanswered(event, null));
  window.addEventListener("online", sendAgain);
  document.querySelector("#list-outdated button")?.addEventListener("click", sendAgain);

  /* An answer brings the menus anew: the one in which one chooses stays open. */
  let open = null;
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    if (detail.target.id !== "list-filters") return;
    const menu = detail.target.querySelector("details[open]");
    open = menu?.contains(document.activeElement) && menu.querySelector(".choices")
      ? { id: menu.id, words: menu.querySelector("[data-narrow-choices]")?.value ?? "", top: menu.querySelector(".choices").scrollTop }
      : null;
  });
  document.addEventListener("htmx:oobAfterSwap", () => {
    const menu = open && document.getElementById(open.id);
    if (!menu) return;
    menu.open = true;
    const words = menu.querySelector("[data-narrow-choices]");
    if (words) {
      words.value = open.words;
      narrow(words);
    }
    menu.querySelector(".choices").scrollTop = open.top;
    open = null;
  });

  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
  const narrow = (words) => {
    for (const choice of words.closest(".filter-sheet").querySelectorAll(".choice")) {
      choice.hidden = !folded(choice.textContent).includes(folded(words.value.trim()));
    }
  };
  document.addEventListener("input", ({ target }) => {
    if (target.matches("[data-narrow-choices]")) narrow(target);
  });

  /* A menu that would leave the window opens to its other side. */
  const keepInside = (menu) => {
    const sheet = menu.querySelector(".filter-sheet");
    sheet.classList.remove("at-end");
    sheet.classList.toggle("at-end", sheet.getBoundingClientRect().right > document.documentElement.clientWidth);
  };
  /* What is in a menu is loaded when it is first opened: the link in it leads to the page that has it. */
  const fill = (menu) => {
    const sheet = menu.querySelector(".filter-sheet");
    const link = sheet.querySelector("[data-menu]");
    if (!link || sheet.hasAttribute("aria-busy")) return;
    sheet.setAttribute("aria-busy", "true");
    htmx
      .ajax("GET", link.href, { target: sheet, select: `#${menu.id} > .filter-sheet`, swap: "outerHTML" })
      .finally(() => {
        sheet.removeAttribute("aria-busy");
        keepInside(menu);
      });
  };
  const showMenu = ({ target }) => {
    if (!target.matches?.(".filter-menu[open]")) return;
    keepInside(target);
    fill(target);
  };
  document.addEventListener("toggle", showMenu, true);
  for (const menu of document.querySelectorAll(".filter-menu[open]")) keepInside(menu);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("[data-narrow-choices]")) event.preventDefault();
  });

  /* Without what shows how far it is (export.js), the browser downloads the file by itself. */
  const dialog = document.getElementById("export-dialog");
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-export]");
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || !dialog) return;
    event.preventDefault();
    const { run } = await import(dialog.dataset.script).catch(() => ({ run: ({ href }) => location.assign(href) }));
    run(link);
  });

  /* Whoever opens a row comes back to this very address (records.js), and there the row has the focus again. */
  const here = withoutLocale(location.pathname);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#rows th a[href]");
    if (!link || event.defaultPrevented) return;
    const address = new URL(link.href);
    remember(`list-of:${withoutLocale(address.pathname)}`, location.search);
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
      remember(`opened:${here}`, link.closest("[data-row-id]").dataset.rowId);
    }
  });
  const comesBack = () => {
    if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") return true;
    const from = document.referrer && new URL(document.referrer);
    return from && from.origin === location.origin && withoutLocale(from.pathname).startsWith(`${here}/`);
  };
  const opened = comesBack() && remembered(`opened:${here}`);
  const row = opened && document.querySelector(`#rows > [data-row-id="${CSS.escape(opened)}"]`);
  if (row) {
    row.querySelector("th a")?.focus({ preventScroll: true });
    const { top, bottom } = row.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) row.scrollIntoView({ block: "center", behavior: "instant" });
  }
})();
