/* How much of a text's length is used, once it is nearly all of it: a browser that cut the text would say nothing. */
const NEARLY = 0.8;

const show = (input) => {
  const counter = document.querySelector(`[data-counts="${CSS.escape(input.id)}"]`);
  if (!counter) return;
  const most = Number(counter.dataset.most);
  /* As the server counts: whole characters. */
  const count = [...input.value].length;
  counter.hidden = count < most * NEARLY;
  counter.classList.toggle("field-error", count > most);
  const counts = { "[count]": count, "[most]": most };
  counter.textContent = counter.hidden
    ? ""
    : counter.dataset.text.replace(/\[\w+\]/g, (name) => counts[name].toLocaleString(document.documentElement.lang));
};

document.addEventListener("input", ({ target }) => {
  if (target.id) show(target);
});
