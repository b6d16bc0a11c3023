/* A field for a row of another list, as a combobox (WAI-ARIA APG, "editable combobox with list autocomplete"). */
const WAIT_MS = 200;

/* Of the account of this page alone. Without an answer, the server looks up what was typed when the form is sent. */
const fetchChoices = async (form, query) => {
  try {
    const headers = { Accept: "text/html", ...JSON.parse(document.body.getAttribute("hx-headers") ?? "{}") };
    const answer = await fetch(`${form.getAttribute("action")}?${new URLSearchParams(query)}`, { headers });
    if (answer.status === 409) document.dispatchEvent(new Event("sign-in-changed"));
    return answer.ok && !answer.redirected ? await answer.text() : "";
  } catch {
    return "";
  }
};

const setUp = (box) => {
  box.dataset.ready = "";
  const [input, id, of] = ["input[type=text]", "[data-id]", "[data-of]"].map((each) => box.querySelector(each));
  const list = box.querySelector("[role=listbox]");
  list.id = `${input.id}-list`;
  Object.assign(input, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
  input.setAttribute("aria-controls", list.id);
  let timer = 0;
  let asked = 0;

  const options = () => [...list.children];
  const active = () => list.querySelector("[aria-selected=true]");
  const close = () => {
    list.hidden = true;
    input.ariaExpanded = "false";
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (option) => {
    for (const each of options()) each.ariaSelected = String(each === option);
    if (!option) return;
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const choose = (option) => {
    input.value = of.value = option.dataset.text;
    id.value = option.dataset.id;
    box.querySelector("select")?.remove();
    close();
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const ask = async () => {
    const mine = ++asked;
    const html = await fetchChoices(input.form, { choices: box.dataset.rowChoice, q: input.value });
    if (mine !== asked || document.activeElement !== input) return;
    const marked = active()?.dataset.id;
    list.innerHTML = html;
    const found = options().length;
    list.hidden = !found;
    input.ariaExpanded = String(found > 0);
    input.removeAttribute("aria-activedescendant");
    /* A later answer leaves the choice where somebody has come to with the arrows. */
    mark(marked && options().find((option) => option.dataset.id === marked));
    const said = found ? box.dataset.found.replace("[all]", found) : box.dataset.none;
    document.getElementById("said")?.replaceChildren(said);
  };

  input.addEventListener("input", () => {
    if (input.value !== of.value) id.value = "";
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && !list.hidden && active()) {
      event.preventDefault();
      choose(active());
    } else if (["ArrowDown", "ArrowUp"].includes(event.key)) {
      event.preventDefault();
      if (list.hidden) return void ask();
      const all = options();
      const step = event.key === "ArrowDown" ? 1 : -1;
      const at = all.indexOf(active());
      mark(all[at < 0 && step < 0 ? all.length - 1 : (at + step + all.length) % all.length]);
    }
  });
  input.addEventListener("blur", () => {
    clearTimeout(timer);
    asked += 1;
    close();
  });
  /* The press leaves the focus in the field. */
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) choose(option);
  });
};

/* Known values of a text are fetched when somebody comes to the field. */
document.addEventListener("focusin", async ({ target }) => {
  const name = target.dataset?.suggest;
  if (!name) return;
  delete target.dataset.suggest;
  target.list.innerHTML = await fetchChoices(target.form, { choices: name });
});

const setUpAll = () => document.querySelectorAll("[data-row-choice]:not([data-ready])").forEach(setUp);
setUpAll();
document.addEventListener("htmx:afterSettle", setUpAll);
