import { stripVTControlCharacters } from 'node:util';
import { colorChange, commandPattern } from './command-name';
import type { Style } from './style';

/** Width of a text, without color codes. */
export const lengthOf = (text: string): number => stripVTControlCharacters(text).length;

/** Wraps text to a width; a longer word stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * Wraps lines at spaces for a terminal, indented after their label. Commands, URLs and paths are never broken.
 * Without a terminal, nothing is wrapped.
 */
export const fittingText = (text: string, { width }: Style): string =>
  width === undefined
    ? text
    : text
        .split('\n')
        .map((line) => (lengthOf(line) <= width ? line : fittingLine(line, width)))
        .join('\n');

function fittingLine(line: string, width: number): string {
  const indent = ' '.repeat(labelOf(line, width));
  const lines = [''];
  for (const [, space = '', unit = ''] of line.matchAll(units())) {
    const last = lines.at(-1) ?? '';
    // After a label alone, the next line would have no more room than this one.
    const fits = lengthOf(last) <= indent.length || lengthOf(last + space + unit) <= width;
    if (fits) lines[lines.length - 1] = last + space + unit;
    else lines.push(indent + unit);
  }
  return lines.join('\n');
}

/**
 * Where the text of a line starts after its label: `next     portolan ...`. A longer label gets a line of its own.
 */
function labelOf(line: string, width: number): number {
  const plain = stripVTControlCharacters(line);
  const label = /^\s*\S+( \S+){0,2}\s{2,}/.exec(plain)?.[0].length ?? 0;
  const leading = plain.length - plain.trimStart().length;
  if (label === 0) return leading;
  return label <= width / 4 ? label : leading + 2;
}

const value = String.raw`(?:'[^']*'|(?!--)[^\s;()]+)`;
const options = String.raw`(?: --[\w-]+(?: ${value})?)*`;

/** A command with its arguments and options, or one word, with the preceding space. */
const units = (): RegExp =>
  new RegExp(
    String.raw`(\s*)((?:${colorChange})*(?:npx )?portolan (?:${commandPattern()})\b${options}(?: (?!--)[^\s,;()]+){0,3}${options}\S*|\S+)`,
    'g',
  );
