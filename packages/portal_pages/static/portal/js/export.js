/* The export of a list: how far it is, and a way to stop it. Without scripts, its link downloads the file by itself.
   lists.js loads this module with the first export. */
const BREAK = 0x0a;
const QUOTE = 0x22;
/* The server ends a whole file with it. What ends otherwise is not whole, and nothing of it is kept. */
const END_MARK = 0x04;
const locale = document.documentElement.lang;
const numbers = new Intl.NumberFormat(locale);

/* Rows of the parts so far: line breaks between quotation marks belong to a cell. */
const rowCounter = () => {
  let lines = 0;
  let isQuoted = false;
  return (part) => {
    for (const octet of part) {
      if (octet === QUOTE) isQuoted = !isQuoted;
      else if (octet === BREAK && !isQuoted) lines += 1;
    }
    return Math.max(0, lines - 1);
  };
};

/* The name that the server gave the file, also one with letters that headers do not have. */
const nameOf = (response) => {
  const given = response.headers.get("Content-Disposition") ?? "";
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(given)?.[1];
  return encoded ? decodeURIComponent(encoded) : (/filename="([^"]*)"/.exec(given)?.[1] ?? "export.csv");
};

const save = (parts, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

const read = async (response, onRows) => {
  const parts = [];
  const count = rowCounter();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    onRows(count(value));
  }
  const last = parts.pop();
  if (last?.at(-1) !== END_MARK) throw new TypeError("not whole");
  return [...parts, last.subarray(0, -1)];
};

export const run = async (link) => {
  const dialog = document.getElementById("export-dialog");
  const bar = dialog.querySelector("progress");
  const text = dialog.querySelector("[data-export-text]");
  const close = dialog.querySelector("[data-export-close]");
  const words = dialog.dataset;
  const ending = new AbortController();
  const say = (sentence) => text.replaceChildren(sentence);

  bar.removeAttribute("value");
  bar.hidden = false;
  text.removeAttribute("role");
  close.textContent = words.cancel;
  say(words.begins);
  dialog.addEventListener("close", () => ending.abort(), { signal: ending.signal });
  dialog.showModal();
  try {
    const response = await fetch(link.href, {
      signal: ending.signal,
      headers: { ...JSON.parse(document.body.getAttribute("hx-headers") ?? "{}"), "Portal-Export": "watched" },
    });
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).detail);
    const total = Number(response.headers.get("Portal-Export-Rows"));
    if (total) bar.max = total;
    const parts = await read(response, (rows) => {
      if (total) bar.value = Math.min(rows, total);
      const sentence = total ? words.rowsOf : words.rows;
      say(sentence.replace("[rows]", numbers.format(rows)).replace("[total]", numbers.format(total)));
    });
    save(parts, nameOf(response));
    dialog.close();
  } catch (error) {
    if (ending.signal.aborted) return;
    bar.hidden = true;
    text.setAttribute("role", "alert");
    close.textContent = words.close;
    say((!(error instanceof TypeError) && error.message) || words.failed);
  }
};
