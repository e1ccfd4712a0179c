/** Controls, separators of lines and halves of characters: a terminal obeys them, or breaks a line. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** What cannot be seen, or turns the direction of what follows: bidi controls, zero-width characters, tags. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Blanks of every width; a Braille pattern without a dot is one as well. */
const blanks = /[\s\u2800]+/gu;

/**
 * What a portal, a publisher or a file says, as it may stand in a line that people read: nothing in it is obeyed by a
 * terminal, turns or hides text, or begins a line, and a run of blanks is one. Whatever comes from outside goes through
 * here before it reaches a terminal, a page or a message.
 */
export const oneLine = (text: string): string => visibleText(text).replace(blanks, ' ');

/** The same with its blanks as they are: for columns, which are made of them. */
export const visibleText = (text: string): string => text.replace(controls, ' ').replace(invisible, '');

/** The same of a line of ours that holds such words: two blanks, with which ours sets parts apart, stay two. */
export const ownLine = (text: string): string =>
  visibleText(text).replace(blanks, (run) => (run.length > 1 ? '  ' : ' '));

/** The same of a text of ours that has several lines, with their indents. */
export const visibleLines = (text: string): string => text.split(/\r?\n/).map(visibleText).join('\n');

/** The same of a text that may have several lines, such as a refusal with a reason a line; a line's indent is one blank. */
export const plainLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => oneLine(line).trimEnd())
    .join('\n');

/** What begins emphasis, code, links, pictures, tags, entities and tables in Markdown; and addresses that become links. */
const marks = /[\\`*_[\]()<>&!|~$]|:(?=\/\/)|@|(?<=\bwww)\./gi;
/** Marks that make a line a heading, list, quote or rule. */
const first = /^(\s*)(?:([#+=-])|(\d+)([.)]))/;

/** The same where Markdown is rendered: all of it is shown as it is, and none of it is markup or a link. */
export const markdownText = (text: string): string =>
  oneLine(text)
    .replace(marks, (mark) => `\\${mark}`)
    .replace(first, (_, indent: string, mark?: string, digits = '', dot = '') =>
      mark === undefined ? `${indent}${digits as string}\\${dot as string}` : `${indent}\\${mark}`,
    );

/** What JSON and YAML let stand in a text and a terminal obeys, or does not show: DEL, C1, bidi controls, zero-width characters. */
export const unseen = /[\u007f-\u009f\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/** Text of JSON, or a double-quoted text of YAML, with everything written as its code that is not seen: it means the same. */
export const escapeUnseen = (text: string): string =>
  text.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => codeOf(character.charCodeAt(at))).join(''),
  );

const codeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** A value as JSON without characters that control a terminal. */
export const jsonText = (value: unknown, indent?: number): string =>
  escapeUnseen(JSON.stringify(value, null, indent) ?? 'null');

/** So much is kept of what others wrote where its beginning is enough. @format characters */
export const MAX_TEXT_LENGTH = 500;

/** The beginning of a text that is longer than that, and how long it is: `abc… (5000 characters)`. */
export function shortened(text: string, most = MAX_TEXT_LENGTH): string {
  if (text.length <= most) return text;
  return `${cutText(text, 0, most)}… (${text.length} characters)`;
}

/** A value of JSON with its texts shortened. @param entries how many of a list stay */
export function shortenTexts(value: unknown, most = MAX_TEXT_LENGTH, entries = Infinity): unknown {
  if (typeof value === 'string') return shortened(value, most);
  if (typeof value !== 'object' || value === null) return value;
  const inner = (each: unknown): unknown => shortenTexts(each, most, entries);
  if (Array.isArray(value)) return value.slice(0, entries).map(inner);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
}

/** A part of a text, without halves of characters at its ends. */
export const cutText = (text: string, from: number, to: number): string =>
  text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
