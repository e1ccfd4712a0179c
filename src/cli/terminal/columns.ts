import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { Style } from './style';
import { lengthOf, wrapped } from './wrapped-text';

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
} as const;

const gap = borderless.middle.length;

/**
 * Columns without borders, so that other programs can cut and sort the output. On a narrow terminal, cells wrap at
 * spaces; if even the longest words do not fit side by side, each row becomes a block of lines. Words are never
 * broken.
 */
export function columns(head: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  // A cell must be one line, or it would look like another row.
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll(/[\r\n\u2028\u2029]+/g, ' ')));
  const widths = fitted([...(head.length > 0 ? [head] : []), ...cells], style.width);
  if (widths === 'too narrow') return cells.map((row) => block(head, row, style)).join('\n\n');
  const table = new Table({
    head: head.map((title) => style.colors.dim(title)),
    chars: { ...borderless },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    ...(widths && { colWidths: [...widths], wordWrap: true, wrapOnWordBoundary: true }),
  });
  table.push(...cells);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const longestWord = (text: string): number =>
  Math.max(
    ...stripVTControlCharacters(text)
      .split(' ')
      .map(({ length }) => length),
  );

/** Column widths that fit; undefined if no wrapping is needed. */
function fitted(
  rows: readonly (readonly string[])[],
  width: number | undefined,
): readonly number[] | 'too narrow' | undefined {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const room = (width ?? Infinity) - gap * (count - 1);
  const perColumn = (measure: (text: string) => number): number[] =>
    Array.from({ length: count }, (_, at) => Math.max(1, ...rows.map((row) => measure(row[at] ?? ''))));
  const widths = perColumn(lengthOf);
  const sum = (all: readonly number[]): number => all.reduce((total, each) => total + each, 0);
  if (sum(widths) <= room) return undefined;
  const least = perColumn(longestWord);
  if (sum(least) > room) return 'too narrow';
  for (let over = sum(widths) - room; over > 0; over--) {
    // Shrink the widest column that can still shrink.
    const [, at] = widths.reduce<readonly [number, number]>(
      (best, each, index) => (each > (least[index] ?? 0) && each > best[0] ? [each, index] : best),
      [0, 0],
    );
    widths[at] = (widths[at] ?? 0) - 1;
  }
  return widths;
}

/** A row as lines with titles; without titles, its cells one below the other. */
function block(head: readonly string[], row: readonly string[], { colors, width = 80 }: Style): string {
  const titles = Math.max(0, ...head.map(lengthOf));
  const indent = head.length === 0 ? 0 : titles + gap;
  return row
    .flatMap((cell, at) => {
      if (cell.trim() === '') return [];
      const title = head.length === 0 ? '' : colors.dim((head[at] ?? '').padEnd(indent));
      return wrapped(cell.trim(), Math.max(1, width - indent)).map((line, index) =>
        index === 0 ? `${title}${line}` : `${' '.repeat(indent)}${line}`,
      );
    })
    .join('\n');
}
