/** So much is kept of what others wrote where its beginning is enough. @format characters */
export const KEPT_MAX = 500;

/** The beginning of a text that is longer than that, and how long it is: `abc… (5000 characters)`. */
export function shortened(text: string, most = KEPT_MAX): string {
  if (text.length <= most) return text;
  return `${cutText(text, 0, most)}… (${text.length} characters)`;
}

/** A part of a text, without halves of characters at its ends. */
export const cutText = (text: string, from: number, to: number): string =>
  text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
