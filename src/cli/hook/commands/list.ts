import { Command } from '@commander-js/extra-typings';
import type { HookRow } from '../../../contract/hooks';
import { bad, type Block, type Mark, tableOf, type Value } from '../../../model/text/sheet';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** `portolan hook list`: hooks and receivers. Needs neither Temporal nor a worker. */
export const hookListCommand = () =>
  new Command('list')
    .description(
      'List hooks and notifications.\n\nShows the last run each hook started, and the last message to each receiver with any retries.',
    )
    .addHelpText(...examples(''))
    .action(
      act(async ({ portolan, output }) => {
        const hooks = await portolan.listHooks();
        output.showList(hooks, () => [hookTable(hooks)]);
      }),
    );

/** One hook or receiver a row, with the last outcome. */
const hookTable = (rows: readonly HookRow[]): Block =>
  tableOf(
    rows,
    [
      ['Hook', ({ name }) => name],
      ['Way', ({ direction }) => direction],
      ['What', (row) => (row.direction === 'in' ? row.starts : `${row.to}: ${row.on.join(', ')}`)],
      ['Signed', ({ signed }) => (signed ? 'yes' : 'no')],
      ['Last', ({ last }) => last && { time: last.at }],
      ['Run', ({ last }) => last && { run: last.runId, whole: true }],
      ['Outcome', outcomeOf],
      ['Retry', retryOf],
    ],
    { empty: 'No hooks. Add hooks or notify to portolan.yaml.' },
  );

function outcomeOf(row: HookRow): Value {
  if (row.altered !== undefined) return bad(row.altered);
  if (row.direction === 'in') return row.last && 'started';
  const { last, open } = row;
  if (!last) return undefined;
  const { event, status, attempts, problem } = last;
  const others = open.length - (status === 'open' ? 1 : 0);
  return [
    { text: `${event} ${status}${attempts > 1 ? `, attempt ${attempts}` : ''}`, mark: marks[status] },
    problem && `: ${problem}`,
    others > 0 ? `; ${open.length} being retried` : undefined,
  ];
}

const marks: Readonly<Record<'delivered' | 'open' | 'failed', Mark>> = {
  delivered: 'good',
  open: 'notice',
  failed: 'bad',
};

function retryOf(row: HookRow): Value {
  if (row.direction === 'in') return undefined;
  const [next] = row.open.flatMap(({ nextAt }) => nextAt ?? []).sort();
  return next && { time: next };
}
