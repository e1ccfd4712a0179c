import Table from 'cli-table3';
import type { Style } from './style';

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

/** Columns without lines, so that what is printed can be cut and sorted by other programs. */
export function columns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { colors }: Style,
): string {
  const table = new Table({
    head: head.map((title) => colors.dim(title)),
    chars: { ...borderless },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  // A cell is one line: another would look like a row of its own.
  table.push(...rows.map((row) => row.map((cell) => cell.replaceAll(/[\r\n\u2028\u2029]+/g, ' '))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
