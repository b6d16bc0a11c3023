/* What the browser keeps of a user: the records that were opened last (records.js), of one sign-in, which the cookie
   sign_in_name names; and this tab's drafts (drafts.js), of one account until a sign-out, which VAR_DRAFTS names. What is
   of another name goes with the next page. */
const RECENT = "portal.recent-records";
const KEPT_RECORDS = 10;
const account = document.getElementById("sign-in-cover")?.dataset.account;
const ownerBy = (cookie) => {
  const name = new RegExp(`(?:^|; )${cookie}=([^;]+)`).exec(document.cookie)?.[1] ?? "";
  return account && `${account} ${name}`;
};
const { quietly } = window;

const isRecord = (each) =>
  [each?.path, each?.title, each?.kind].every((text) => typeof text === "string") && /^\/\w/.test(each.path);
const forget = () => quietly(() => localStorage.removeItem(RECENT));
const read = () => {
  const owner = ownerBy("sign_in_name");
  const kept = quietly(() => JSON.parse(localStorage.getItem(RECENT)));
  const records = owner && kept?.owner === owner && Array.isArray(kept.records) && kept.records;
  if (!records) forget();
  return (records || []).filter(isRecord).slice(0, KEPT_RECORDS);
};
const write = (records) => {
  const kept = { owner: ownerBy("sign_in_name"), records: records.slice(0, KEPT_RECORDS) };
  if (account) quietly(() => localStorage.setItem(RECENT, JSON.stringify(kept)));
};

const forgetDrafts = () =>
  quietly(() => Object.keys(sessionStorage).forEach((key) => key.startsWith("draft:") && sessionStorage.removeItem(key)));
const purgeDrafts = () =>
  quietly(() => {
    const owner = ownerBy("VAR_DRAFTS");
    if (sessionStorage.getItem("draft:of") === owner) return;
    forgetDrafts();
    if (owner && !owner.endsWith(" ")) sessionStorage.setItem("draft:of", owner);
  });

read();
purgeDrafts();
document.addEventListener("visibilitychange", purgeDrafts);
document.addEventListener("sign-in-over", forget);
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sign-out]")) return;
  forget();
  forgetDrafts();
});

window.recentRecords = { read, write };
