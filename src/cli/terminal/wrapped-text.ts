import { stripVTControlCharacters } from 'node:util';
import { colorChange, commandWords } from './command-name';
import type { Style } from './style';

/** Places that a text takes in a line, without its colors. */
export const lengthOf = (text: string): number => stripVTControlCharacters(text).length;

/** Lines of so many places at most, but for a word that is longer by itself. */
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
 * A text for a terminal, whose lines go on below at a space where they would be too long, behind their label. What can
 * be copied stays whole: a command, an address, a path. Without a terminal lines are as long as they are.
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
  for (const [, space = '', unit = ''] of line.matchAll(units)) {
    const last = lines.at(-1) ?? '';
    // Behind a label alone there is no more room in the next line than in this one.
    const fits = lengthOf(last) <= indent.length || lengthOf(last + space + unit) <= width;
    if (fits) lines[lines.length - 1] = last + space + unit;
    else lines.push(indent + unit);
  }
  return lines.join('\n');
}

/** Where the text of a line begins: `next     portolan ...`, `warning  ...`; behind a longer label it goes on below. */
function labelOf(line: string, width: number): number {
  const plain = stripVTControlCharacters(line);
  const label = /^\s*\S+( \S+){0,2}\s{2,}/.exec(plain)?.[0].length ?? 0;
  const leading = plain.length - plain.trimStart().length;
  if (label === 0) return leading;
  return label <= width / 4 ? label : leading + 2;
}

const value = String.raw`(?:'[^']*'|(?!--)[^\s;()]+)`;
const options = String.raw`(?: --[\w-]+(?: ${value})?)*`;

/** A command with its arguments and options, or a word; each with the space before it. */
const units = new RegExp(
  String.raw`(\s*)((?:${colorChange})*(?:npx )?portolan (?:${commandWords})\b${options}(?: (?!--)[^\s,;()]+){0,3}${options}\S*|\S+)`,
  'g',
);
