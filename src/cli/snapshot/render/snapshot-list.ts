import { oneLine } from '../../../model/text/plain-text';
import type { RouteState } from '../../../domain/snapshot/retention/route-state';
import {
  snapshotStates,
  type SnapshotView,
  type UnreadableView,
} from '../../../service/snapshot/snapshot-view';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countWords, durationWords, timeWords, bytesText } from '../../../model/text/words';

/** Snapshots, one per line, unreadable ones with the reason, and the state of each route's backups. */
export function snapshotListTable(
  snapshots: readonly SnapshotView[],
  unreadable: readonly UnreadableView[],
  routes: readonly RouteState[],
  style: Style,
): string {
  const parts = [
    snapshots.length === 0 ? 'No snapshots.' : snapshotTable(snapshots, style),
    ...(unreadable.length === 0 ? [] : [unreadableTable(unreadable, style)]),
    ...(routes.length === 0 ? [] : [routeTable(routes, style)]),
  ];
  return parts.join('\n\n');
}

const snapshotTable = (snapshots: readonly SnapshotView[], style: Style): string =>
  columns(
    ['SNAPSHOT', 'ROUTE', 'TAKEN', 'AGE', 'ITEMS', 'SIZE', 'STATE', 'PROVEN', 'PINNED'],
    snapshots.map((snapshot) => [
      snapshot.id,
      snapshot.route,
      timeWords(snapshot.takenAt),
      ageWords(snapshot.ageMs),
      itemWords(snapshot),
      sizeWords(snapshot),
      stateWords(snapshot, style),
      snapshot.proof ? `${snapshot.proof.level} ${timeWords(snapshot.proof.at)}` : '-',
      pinWords(snapshot),
    ]),
    style,
  );

const unreadableTable = (unreadable: readonly UnreadableView[], style: Style): string =>
  columns(
    ['UNREADABLE', 'CODE', 'WHY'],
    unreadable.map(({ id, unreadable: { code, why } }) => [
      oneLine(id),
      style.colors.red(code),
      oneLine(why),
    ]),
    style,
  );

const routeTable = (routes: readonly RouteState[], style: Style): string =>
  columns(
    ['ROUTE', 'LAST GOOD', 'AGE', 'MAX AGE', 'LAST PROVEN'],
    routes.map(({ route, lastGood, maxAgeMs, overdue, lastProven }) => [
      route,
      lastGood?.id ?? 'none',
      [
        lastGood ? (lastGood.ahead ? 'dated in the future' : ageWords(lastGood.ageMs)) : '-',
        lastGood?.confirmedAt === undefined ? '' : '(unchanged since)',
        overdue ? style.colors.red('OVERDUE') : '',
      ]
        .filter(Boolean)
        .join(' '),
      maxAgeMs === undefined ? '-' : ageWords(maxAgeMs),
      lastProven
        ? `${lastProven.id}, ${lastProven.proof.level} on ${lastProven.proof.portal} ${timeWords(lastProven.proof.at)}`
        : 'never',
    ]),
    style,
  );

/** `3d04h`; under a minute it is `now`. */
export const ageWords = (ageMs: number): string => (ageMs < 60_000 ? 'now' : durationWords(ageMs));

/** `3d04h ago`. */
export const agoWords = (ageMs: number): string => (ageMs < 60_000 ? 'just now' : `${ageWords(ageMs)} ago`);

/** `14`, or `14 of 16` if some were skipped. */
export const itemWords = ({ items, requested }: Pick<SnapshotView, 'items' | 'requested'>): string =>
  items === requested ? countWords(items) : `${countWords(items)} of ${countWords(requested)}`;

/** `64 MB`; `64 MB, +1.2 MB` with a parent snapshot: the size added to the store. */
export const sizeWords = ({ sizeBytes, addedBytes = 0, since }: SnapshotView): string =>
  sizeBytes === undefined
    ? '-'
    : [bytesText(sizeBytes), ...(since ? [`+${bytesText(addedBytes)}`] : [])].join(', ');

/** The state of a snapshot. */
export const stateWords = (view: SnapshotView, { colors }: Style): string =>
  snapshotStates(view)
    .map((state) =>
      state === 'damaged' ? colors.red(state) : doubtful.test(state) ? colors.yellow(state) : state,
    )
    .join(', ');

const doubtful = /^(?:empty|incomplete|clock ahead)$/;

export const pinWords = ({ pin }: Pick<SnapshotView, 'pin'>): string =>
  pin === undefined ? '-' : oneLine(pin.reason ?? `by ${pin.who}`);
