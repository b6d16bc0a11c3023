/* The sign-in pages: a password can be shown, and a typed address outlasts the language switch. */
const KEPT = "typed-email";

document.addEventListener("DOMContentLoaded", () => {
  const email = document.getElementById("id_email");
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (email && kept && !email.value) email.value = kept;

  for (const box of document.querySelectorAll("[data-show-password]")) {
    const password = document.getElementById(box.dataset.showPassword);
    const follow = () => (password.type = box.checked ? "text" : "password");
    box.addEventListener("change", follow);
    /* A browser keeps what was typed into a field of text. */
    password.form.addEventListener("submit", () => (password.type = "password"));
  }
});

document.addEventListener("submit", (event) => {
  const email = document.getElementById("id_email");
  if (event.target.getAttribute("action") === "/locale" && email?.value) sessionStorage.setItem(KEPT, email.value);
});
