/** So much of a value that others wrote is shown, where its beginning is enough to find it by. */
const SHOWN_MAX = 60;

/** What a terminal or a page would obey, or not show: controls, separators of lines, what turns or hides text. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * The beginning of a value of others, between quotes and in one line: `"../../etc"`, `"abc…" (5000 characters)`.
 * What cannot be seen is written as its code point.
 */
export function shownValue(value: string): string {
  const start = Array.from(value.slice(0, SHOWN_MAX + 1))
    .slice(0, SHOWN_MAX)
    .join('');
  const plain = start
    .replace(/["\\]/g, (character) => `\\${character}`)
    .replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return start.length < value.length ? `"${plain}…" (${value.length} characters)` : `"${plain}"`;
}
