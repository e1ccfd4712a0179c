import { keys } from '../../store/keys';

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
  /** The packages that a snapshot is about to name; there from before these are stored, or built on, until its manifest is. */
  claim: (id: string) => `${keys.snapshot(id)}claim.json`,
  /** A snapshot that is being forgotten. */
  forgotten: (id: string) => `${keys.snapshot(id)}forgotten.json`,
  /** When a folder without a manifest was first seen by somebody who tidies. */
  leftSince: (id: string) => `${keys.snapshot(id)}left.json`,
  /** Packages that somebody is about to remove, one folder each. */
  going: 'going/',
  goingPackage: (sha256: string) => `going/${sha256}/`,
  /** Where a package lies for one snapshot alone. */
  ownPackage: (sha256: string, id: string) => `${keys.storedPackages}${sha256}-${id}.epk`,
  /** The sha256 in the key of a stored package. */
  hashInKey: (key: string): string | undefined => /^stored\/([0-9a-f]{64})(?:-.+)?\.epk$/.exec(key)?.[1],
} as const;

/** The safeguard of what one of a run's plans overwrites. */
export const safeguardId = (runId: string, reading: string): string => `${runId}-safeguard-${reading}`;

/** The run that a snapshot belongs to, by its id: safeguards are named after their run. */
export const runOfSnapshot = (id: string): string => id.replace(/-safeguard-\d+$/, '');
