/* A chart's values by pointer, touch and keyboard: what a bar stands for is read above the drawing. The drawing is one
   stop of the keyboard, whose arrow keys go from bar to bar. A click on a bar that is read, or Enter, follows the link
   that the table has for it. Without scripts there are the titles and the table. */
const makeReadable = (plot) => {
  const drawing = plot.querySelector("svg");
  const figure = plot.closest("figure");
  const reading = figure?.querySelector("[data-chart-reading]");
  const slots = [...plot.querySelectorAll(".bar-slot")];
  if (!drawing || !reading || !slots.length) return;
  const links = figure.querySelectorAll("tbody a");
  const summary = reading.textContent;
  /* The title becomes the reading; left in place, the browser would show it a second time. */
  const texts = slots.map((slot) => {
    const title = slot.querySelector("title");
    title.remove();
    return title.textContent;
  });
  let at = -1;
  let wasAt = -1;

  const read = (next) => {
    slots[at]?.classList.remove("is-read");
    at = next;
    slots[at]?.classList.add("is-read");
    reading.textContent = texts[at] ?? summary;
    reading.classList.toggle("is-value", at >= 0);
    if (at >= 0) Object.assign(plot, { ariaValueNow: at + 1, ariaValueText: texts[at] });
  };
  const readUnder = (event) => {
    const { left, width } = drawing.getBoundingClientRect();
    const next = Math.floor(((event.clientX - left) / width) * slots.length);
    if (next >= 0 && next < slots.length) read(next);
  };

  /* With the keys that were held: a new tab stays possible. */
  const follow = (event) => links[at]?.dispatchEvent(new MouseEvent("click", event));

  Object.assign(plot, { tabIndex: 0, role: "slider", ariaLabel: drawing.ariaLabel, ariaValueMin: 1 });
  Object.assign(plot, { ariaValueMax: slots.length, ariaValueNow: slots.length, ariaValueText: texts.at(-1) });
  drawing.ariaHidden = "true";

  plot.addEventListener("keydown", (event) => {
    const last = slots.length - 1;
    const after = Math.min(at + 1, last);
    const before = Math.max((at < 0 ? last : at) - 1, 0);
    const places = { ArrowRight: after, ArrowUp: after, ArrowLeft: before, ArrowDown: before, Home: 0, End: last };
    const next = places[event.key];
    if (event.key === "Escape") read(-1);
    if (event.key === "Enter") follow(event);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    read(next);
  });
  plot.addEventListener("pointerdown", (event) => {
    wasAt = at;
    readUnder(event);
  });
  /* The first touch of a bar reads it. */
  plot.addEventListener("click", (event) => wasAt === at && follow(event));
  plot.addEventListener("pointermove", readUnder);
  plot.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && document.activeElement !== plot) read(-1);
  });
  plot.addEventListener("focus", () => {
    if (at < 0 && plot.matches(":focus-visible")) read(slots.length - 1);
  });
  plot.addEventListener("blur", () => read(-1));
};

document.querySelectorAll("[data-chart]").forEach(makeReadable);
