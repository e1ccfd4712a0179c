import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Endpoint, type Side, sides, titleOf } from './endpoints';
import { type Fault, faults } from './faults';

/** What became of one cell. */
export interface Cell {
  readonly side: Side;
  readonly endpoint: string;
  readonly fault: string;
  readonly outcome: 'ok' | 'ok*' | 'FAILED';
  readonly seconds: number;
}

const fileIn = (folder: string): string => path.join(folder, 'cells.ndjson');

export function noteCell(
  folder: string,
  endpoint: Endpoint,
  fault: Fault,
  came: Pick<Cell, 'outcome' | 'seconds'>,
): void {
  const cell: Cell = { side: endpoint.side, endpoint: titleOf(endpoint), fault: fault.name, ...came };
  appendFileSync(fileIn(folder), `${JSON.stringify(cell)}\n`);
}

export function readCells(folder: string): Cell[] {
  let text = '';
  try {
    text = readFileSync(fileIn(folder), 'utf8');
  } catch {
    // No cell was tried.
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Cell);
}

/** What is printed at the end. */
export function renderMatrix(endpoints: readonly Endpoint[], cells: readonly Cell[]): string {
  const slowest = Math.max(0, ...cells.map(({ seconds }) => seconds));
  return `${renderTables(endpoints, cells)} The longest took ${slowest.toFixed(0)} s.\n`;
}

/** docs/internals/faults.md */
export const renderPage = (endpoints: readonly Endpoint[], cells: readonly Cell[]): string =>
  [
    '# Faults that a sync gets over',
    '`npm run test:faults` makes a sync for each cell below: the first call of its row meets the fault of its column, and nothing else goes wrong.',
    [
      "- Each sync overwrites, takes a safeguard, and ends `succeeded`. Its ledger, its verification and every byte of the target's items are those of a sync that nothing disturbed; no portal has begun a job twice, nor been asked for the import of a package twice; no package of ours is left, and nobody stands in a portal queue.",
      '- `ok*`: nobody can tell whether the import began. The run parks after that one post, and succeeds by the command that its record names.',
      '- `reset before` cuts the line before the portal works, `reset after` when the work is done. `hang` answers never; `503`, `429` and `HTML` (a page in a 200) come in place of the portal; `token expired` ends every token given so far; `cut body` lets ten bytes of the answer through.',
      "- The rows come from the portals' logs: each call, told apart by whether it is about an item or a package of the run, and whether it comes before or after the import.",
      '- `second package`: the sync goes in two, and it is the first such call about the second. `of what changed`: everything was brought before, somebody has edited an item and rows on either side since, and only that goes; of these rows there are those that such a sync calls otherwise, and those that write.',
    ].join('\n'),
    renderTables(endpoints, cells),
    'This page is written by `PORTOLAN_WRITE_FAULTS=1 npm run test:faults`.',
  ].join('\n\n') + '\n';

/** A table for each portal, in Markdown, and what it comes to. A cell that was not tried is a dash. */
function renderTables(endpoints: readonly Endpoint[], cells: readonly Cell[]): string {
  const became = new Map(cells.map((cell) => [keyOf(cell), cell.outcome]));
  const columns = faults.map(({ name }) => name);
  const tables = sides.map((side) => {
    const rows = endpoints
      .filter((endpoint) => endpoint.side === side)
      .map((endpoint) => {
        const row = titleOf(endpoint);
        return [row, ...columns.map((fault) => became.get(keyOf({ side, endpoint: row, fault })) ?? '-')];
      });
    return table([`${side}`, ...columns], rows);
  });
  return `${tables.join('\n\n')}\n\n${totals(endpoints.length * columns.length, cells)}`;
}

function totals(all: number, cells: readonly Cell[]): string {
  const count = (outcome: Cell['outcome']): number => cells.filter((cell) => cell.outcome === outcome).length;
  const failed = count('FAILED');
  return `${all} cells: ${count('ok')} succeeded by themselves, ${count('ok*')} parked and succeeded when resumed (ok*), ${failed} failed, ${all - cells.length} not tried.`;
}

const keyOf = ({ side, endpoint, fault }: Pick<Cell, 'side' | 'endpoint' | 'fault'>): string =>
  [side, endpoint, fault].join(' | ');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
