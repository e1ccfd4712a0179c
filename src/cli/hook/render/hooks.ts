import { oneLine } from '../../../model/text/plain-text';
import { timeWords } from '../../../model/text/words';
import type { HookRow } from '../../../service/hook/hook-view';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';

/** Hooks and notification receivers, one per line, with the last outcome. */
export function hookTable(rows: readonly HookRow[], style: Style): string {
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
