import type { StageView } from '../../contract/pipelines';
import type { PromotionEntry } from '../../model/release/promotion';
import {
  bad,
  type Block,
  faint,
  good,
  listed,
  notice,
  type RowOf,
  tableOf,
  type Value,
} from '../../model/text/sheet';
import { countOf } from '../../model/text/words';

/** The stages of a pipeline side by side. What no stage has is left out. */
export const stageTable = (stages: readonly StageView[]): Block => ({
  columns: ['Stage', ...stages.map(({ name }) => name)],
  rows: stageRows.flatMap(([label, cell]) => {
    const cells = stages.map((stage) => cell(stage) || undefined);
    return cells.every((each) => each === undefined)
      ? []
      : [[faint(label), ...cells.map((each) => each ?? '-')]];
  }),
});

const stageRows: readonly (readonly [string, RowOf<StageView>])[] = [
  ['portal', ({ portal }) => portal],
  ['release', ({ release, hotfix }) => release && listed(release, hotfix && bad('hotfix'))],
  ['blocked', ({ blocked }) => blocked && bad(blocked)],
  ['since', ({ since, by }) => since && [{ time: since }, by && ` by ${by}`]],
  [
    'verified',
    ({ verified, checks }) =>
      verified === 'failed'
        ? bad(verified)
        : verified && good(listed(verified, checks !== undefined && countOf(checks, 'check'))),
  ],
  ['soak ends', ({ soakUntil }) => soakUntil && { time: soakUntil }],
  ['drift', ({ drift }) => drift && driftOf(drift)],
  ['frozen', ({ frozen }) => frozen && notice(frozen)],
  ['in progress', ({ underWay }) => underWay && [{ run: underWay.runId }, ` ${underWay.status}`]],
  ['next', ({ next }) => next && nextOf(next)],
];

/** `2 items edited, 1 fewer`. */
function driftOf(drift: NonNullable<StageView['drift']>): Value {
  if ('unknown' in drift) return `unknown: ${drift.unknown}`;
  const { edited, fewer } = drift;
  const found = listed(
    edited.length > 0 && `${countOf(edited.length, 'item')} edited`,
    fewer > 0 && `${fewer} fewer`,
  );
  return found.length > 0 ? found : 'none';
}

/** The release that can be promoted next, and from when. */
const nextOf = ({ release, from, blocked, wentBack }: NonNullable<StageView['next']>): Value => [
  release,
  blocked && bad(` blocked ${blocked}`),
  from && [', soak ends ', { time: from }],
  wentBack && ' (rolled back before)',
];

/** Promotions and rollbacks, one per row. */
export const historyTable = (entries: readonly PromotionEntry[]): Block =>
  tableOf(
    entries,
    [
      ['At', ({ at }) => ({ time: at })],
      ['Stage', ({ stage }) => stage],
      ['Release', ({ release }) => release],
      [
        'What',
        ({ kind, status, hotfix }) =>
          listed(
            kind === 'promoted' ? kind : 'rolled back',
            status === 'failed' && bad('failed'),
            hotfix && bad('hotfix'),
          ),
      ],
      ['By', ({ who }) => who],
      ['Approved by', ({ approvedBy = '-' }) => approvedBy],
      ['Run', ({ runId }) => ({ run: runId })],
      ['Reason', ({ reason }) => reason],
    ],
    { empty: 'No promotions yet.' },
  );
