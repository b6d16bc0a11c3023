/** Translations and formats. Not counted. */

const catalog: Record<string, string> = {};

export const t = (text: string): string => catalog[text] ?? text;

export const money = (amount: string, currency: string): string =>
  new Intl.NumberFormat(undefined, { style: "currency", currency }).format(Number(amount));

export const day = (time: string | null): string =>
  time ? new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(new Date(time)) : "–";
