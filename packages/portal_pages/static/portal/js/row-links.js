/* A click anywhere in a row of a table is one on its link, and yet the row's text can be marked, by drawing, and copied. */
(() => {
  "use strict";
  let pressed = { x: 0, y: 0 };
  document.addEventListener("mousedown", ({ clientX: x, clientY: y }) => (pressed = { x, y }));
  const linkOf = ({ target, clientX, clientY, defaultPrevented }) => {
    const drawn = Math.hypot(clientX - pressed.x, clientY - pressed.y) > 4;
    if (drawn || defaultPrevented || target.closest("a, button, input, label, select, summary")) return null;
    return target.closest(".table tbody tr")?.querySelector("th a");
  };
  const openRow = (event) => {
    const link = linkOf(event);
    if (!link) return;
    if (event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey) window.open(link.href, "_blank", "noopener");
    else if (event.button === 0) link.click();
  };
  document.addEventListener("click", openRow);
  document.addEventListener("auxclick", openRow);
})();
