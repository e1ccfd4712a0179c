/** So much is kept of what others wrote where its beginning is enough. @format characters */
export const KEPT_MAX = 500;

/** The beginning of a text that is longer than that, and how long it is: `abc… (5000 characters)`. */
export function shortened(text: string, most = KEPT_MAX): string {
  if (text.length <= most) return text;
  // A cut through a character outside of the first plane would leave half of it.
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${start}… (${text.length} characters)`;
}
