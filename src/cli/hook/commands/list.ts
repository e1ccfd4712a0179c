import { Command } from '@commander-js/extra-typings';
import type { HookRow } from '../../../contract/hooks';
import { oneLine } from '../../../model/text/plain-text';
import { timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
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
        output.showList(hooks, (style) => hookTable(hooks, style));
      }),
    );

/** One hook or receiver a line, with the last outcome. */
function hookTable(rows: readonly HookRow[], style: Style): string {
  if (rows.length === 0) return 'No hooks. Add hooks or notify to portolan.yaml.';
  return columns(
    ['HOOK', 'WAY', 'WHAT', 'SIGNED', 'LAST', 'RUN', 'OUTCOME', 'RETRY'],
    rows.map((row) => {
      const start = [row.name, row.direction, whatOf(row), row.signed ? 'yes' : 'no'];
      const { last, altered } = row;
      if (altered !== undefined) return [...start, '', '', style.colors.red(oneLine(altered)), ''];
      if (!last) return [...start, '', '', '', ''];
      if (row.direction === 'in') return [...start, timeWords(last.at), last.runId, 'started', ''];
      return [...start, ...sentWords(row, style)];
    }),
    style,
  );
}

const whatOf = (row: HookRow): string =>
  row.direction === 'in' ? row.starts : `${row.to}: ${row.on.join(', ')}`;

function sentWords({ last, open }: Extract<HookRow, { direction: 'out' }>, { colors }: Style): string[] {
  if (!last) return [];
  const { event, runId, at, status, attempts, problem } = last;
  const paint = { delivered: colors.green, open: colors.yellow, failed: colors.red }[status];
  const tried = attempts > 1 ? `, attempt ${attempts}` : '';
  const others = open.length > (status === 'open' ? 1 : 0) ? `; ${open.length} being retried` : '';
  const next = open
    .flatMap(({ nextAt }) => nextAt ?? [])
    .sort()
    .at(0);
  return [
    timeWords(at),
    runId,
    paint(`${event} ${status}${tried}`) + (problem === undefined ? '' : `: ${problem}`) + others,
    next === undefined ? '' : timeWords(next),
  ];
}
