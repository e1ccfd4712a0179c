import { keys } from '../../store/keys';

/** The file that makes a folder a snapshot. */
export const MANIFEST = 'manifest.json';
/** The file that says that a snapshot was forgotten. */
export const FORGOTTEN = 'forgotten.json';

/** Where the small files of a snapshot lie that only this room reads. */
export const snapshotKeys = {
  /** That a snapshot can be restored, as one run has shown it. */
  proofs: (id: string) => `${keys.snapshot(id)}proofs/`,
  proof: (id: string, runId: string) => `${keys.snapshot(id)}proofs/${runId}.json`,
  confirmed: (id: string) => `${keys.snapshot(id)}confirmed.json`,
  copiedRecord: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}item.json`,
  copiedData: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}data`,
  /** One of the files beside its data. */
  copiedFile: (id: string, itemId: string, index: number) => `${keys.snapshotCopy(id, itemId)}files/${index}`,
  /** The JSON of an item that lies in the package. */
  document: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}document.json`,
  /** The picture of an item, for whoever puts it back where it stood. */
  thumbnail: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}thumbnail`,
  /** Packages in other folders that the snapshot names, or may name once it is committed. */
  claim: (id: string) => `${keys.snapshot(id)}claim.json`,
  /** A snapshot that was forgotten; stays as long as one of its packages does. */
  forgotten: (id: string) => `${keys.snapshot(id)}${FORGOTTEN}`,
  /** When a folder without a manifest was first seen. */
  leftSince: (id: string) => `${keys.snapshot(id)}left.json`,
  /** That a package is not what was stored. @param key of the package */
  damage: (key: string) => `${key}.damage.json`,
} as const;

/** The safeguard of what one of a run's plans overwrites. */
export const safeguardId = (runId: string, reading: string): string => `${runId}-safeguard-${reading}`;

/** The run that a snapshot belongs to, by its id: safeguards are named after their run. */
export const runOfSnapshot = (id: string): string => id.replace(/-safeguard-\d+$/, '');
