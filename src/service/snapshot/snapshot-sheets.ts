import type { RouteState, SnapshotView, UnreadableView } from '../../contract/snapshots';
import { shortRunId } from '../../model/run/run-id';
import {
  bad,
  type Block,
  faint,
  listed,
  notice,
  type Columns,
  tableOf,
  type Value,
} from '../../model/text/sheet';
import { bytesText, countWords, exactDuration } from '../../model/text/words';

/** `good`, `imported`, `clock ahead`, `damaged`. */
export const stateOf = ({ kind, complete, items, importedAt, ahead, problems }: SnapshotView): Value =>
  listed(
    kind === 'safeguard' ? kind : items === 0 ? notice('empty') : complete ? 'good' : notice('incomplete'),
    importedAt !== undefined && 'imported',
    ahead && notice('clock ahead'),
    problems.length > 0 && bad('damaged'),
  );

/** `14`, or `14 of 16` if some were skipped. */
export const itemsOf = ({ items, requested }: SnapshotView): Value =>
  items === requested ? items : `${countWords(items)} of ${countWords(requested)}`;

/** When a snapshot was taken, and of what size; with a parent, also the size that it added to the store. */
export const takenColumns: Columns<SnapshotView> = [
  ['Taken', ({ takenAt }) => ({ time: takenAt })],
  ['Items', itemsOf],
  [
    'Size',
    ({ sizeBytes, addedBytes = 0, since }) =>
      sizeBytes === undefined ? '-' : listed(bytesText(sizeBytes), since && `+${bytesText(addedBytes)}`),
  ],
];

/** What a list shows of each snapshot. */
export const snapshotColumns: Columns<SnapshotView> = [
  ...takenColumns,
  ['State', stateOf],
  ['Proven', ({ proof }) => (proof ? [`${proof.level} `, { time: proof.at }] : '-')],
  ['Pinned', ({ pin }) => (pin ? (pin.reason ?? `by ${pin.who}`) : '-')],
];

/** What is known of the backups of a route. */
export const backupColumns: Columns<RouteState> = [
  ['Last good', lastGoodOf],
  ['Maximum age', ({ maxAgeMs }) => (maxAgeMs === undefined ? '-' : exactDuration(maxAgeMs))],
  [
    'Last proven',
    ({ lastProven }) =>
      lastProven
        ? listed(
            timedId(lastProven.proof.at, lastProven.id),
            faint(`${lastProven.proof.level} on ${lastProven.proof.portal}`),
          )
        : 'never',
  ],
];

function lastGoodOf({ lastGood, overdue }: RouteState): Value {
  if (!lastGood) return listed(overdue && bad('overdue'), 'none');
  const { id, takenAt, confirmedAt, ahead } = lastGood;
  return listed(
    overdue && bad('overdue'),
    timedId(takenAt, id),
    ahead && notice('dated in the future'),
    confirmedAt !== undefined && faint(['unchanged ', { time: confirmedAt }]),
  );
}

const timedId = (time: string, id: string): Value => [{ time }, ` (${shortRunId(id)})`];

/** Snapshots whose manifest cannot be read, with the reason. */
export const unreadableTable = (rows: readonly UnreadableView[]): Block =>
  tableOf(rows, [
    ['Unreadable', ({ id }) => id],
    ['Code', ({ unreadable }) => bad(unreadable.code)],
    ['Why', ({ unreadable }) => unreadable.why],
  ]);
