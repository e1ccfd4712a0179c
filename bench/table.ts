import Table from 'cli-table3';
import type { Line } from './report';

/** Prints the lines, and has the process end with 1 where a promise is broken. */
export function printTable(lines: readonly Line[]): void {
  const table = new Table({
    head: ['', 'ours', 'against', 'ratio', 'promised', ''],
    style: { head: [], border: [] },
  });
  for (const { what, ours, against, ratio, promised, kept } of lines)
    table.push([what, ours, against, ratio, promised, kept === undefined ? '' : kept ? 'kept' : 'BROKEN']);
  process.stdout.write(`${table.toString()}\n`);
  if (lines.some(({ kept }) => kept === false)) process.exitCode = 1;
}
