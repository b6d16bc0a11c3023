/* What the dialog of the keys and the page of the help show beside the keys of every page: those of the menu, and the
   switch of single keys. shortcuts.js loads this module for them. */
const OFF = "portal.single-keys";

const show = () => {
  for (const box of document.querySelectorAll("[data-single-keys]")) {
    box.checked = window.quietly(() => localStorage.getItem(OFF)) !== "off";
  }
  const place = document.querySelector("[data-menu-keys]");
  const targets = [...document.querySelectorAll("[data-shortcut^='g ']")];
  if (!place || !targets.length) return;
  place.replaceWith(
    ...targets.map((target) => {
      const line = place.cloneNode(true);
      line.removeAttribute("data-menu-keys");
      const second = line.querySelector("kbd").cloneNode();
      second.textContent = target.dataset.shortcut.slice(2);
      line.querySelector("dt").append(" ", second);
      line.querySelector("dd").textContent = target.dataset.shortcutName ?? target.lastChild.textContent.trim();
      return line;
    }),
  );
};
show();
document.addEventListener("htmx:afterSwap", show);
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-single-keys]")) return;
  try {
    if (target.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "off");
  } catch {
    target.checked = true;
  }
});
