import type { SnapshotView } from '../../contract/snapshots';
import { bytesText, countWords, durationWords } from '../../model/text/words';
import { snapshotStates } from '../../service/snapshot/snapshot-words';
import type { Style } from '../terminal/style';

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
