import type { SnapshotView } from '../../contract/snapshots';

/** States of a snapshot: `good`, `imported`, `clock ahead`, `damaged`. */
export const snapshotStates = ({
  kind,
  complete,
  items,
  importedAt,
  ahead,
  problems,
}: SnapshotView): readonly string[] => [
  kind === 'safeguard' ? kind : items === 0 ? 'empty' : complete ? 'good' : 'incomplete',
  ...(importedAt === undefined ? [] : ['imported']),
  ...(ahead ? ['clock ahead'] : []),
  ...(problems.length > 0 ? ['damaged'] : []),
];
