/* A click anywhere in a row of a table is one on its link, and yet the row's text can be marked, by drawing or by a double
   click, and copied. So a click on text waits for a second one, which is told by the mouse alone. */
const SECOND_CLICK_MS = 250; // from press to press
let pressed = { x: 0, y: 0, at: 0 };
let timer = 0;
document.addEventListener("pointerdown", ({ clientX: x, clientY: y, timeStamp: at }) => {
  clearTimeout(timer);
  pressed = { x, y, at };
});
const isOnText = ({ target, clientX: x, clientY: y }) => {
  const range = document.createRange();
  range.selectNodeContents(target);
  return [...range.getClientRects()].some((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
};
const linkOf = ({ target, clientX, clientY, defaultPrevented }) => {
  const drawn = Math.hypot(clientX - pressed.x, clientY - pressed.y) > 4;
  if (drawn || defaultPrevented || target.closest("a, button, input, label, select, summary")) return null;
  return target.closest(".table tbody tr")?.querySelector("th a");
};
const openRow = (event) => {
  const link = linkOf(event);
  if (!link) return;
  if (event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey) window.open(link.href, "_blank", "noopener");
  else if (event.button === 0 && event.detail < 2) {
    const wait = event.pointerType === "mouse" && isOnText(event) ? SECOND_CLICK_MS - (event.timeStamp - pressed.at) : 0;
    if (wait > 0) timer = setTimeout(() => link.click(), wait);
    else link.click();
  }
};
document.addEventListener("click", openRow);
document.addEventListener("auxclick", openRow);
