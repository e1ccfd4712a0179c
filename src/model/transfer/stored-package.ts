/** How long the packages of an unfinished run stay in the store: over a weekend. @format milliseconds */
export const PACKAGES_STAY_MS = 7 * 86_400_000;

/** A package in the store. */
export interface PackageInStore {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether the portal said how long it is. */
  readonly sizeChecked: boolean;
}

/** What the target has of a package by the time that the whole of it is in the store. */
export interface Carried {
  /** The package item, which is not committed; undefined where it is not known whether there is one. */
  readonly itemId?: string;
  /** Parts that are there. */
  readonly parts: number;
  /** All parts. */
  readonly of: number;
  /** Numbers of parts that may be there with other bytes than those of the package, and have to be sent again. */
  readonly differing: readonly number[];
}

/** A package in the store that has gone on to the target while it came, where it could. */
export interface CarriedPackage extends PackageInStore {
  readonly carried?: Carried;
}

/** What came of a file, and how long that took, since its rate was judged last. */
export interface Stretch {
  readonly bytes: number;
  /** @format milliseconds */
  readonly ms: number;
}

/** The first parts of a package, which the target has, and the hash of all bytes up to their end. */
export interface SentParts {
  readonly parts: number;
  readonly sha256: string;
}

/** How far a transfer is; in the heartbeats of downloads and uploads. */
export interface TransferProgress {
  readonly bytes: number;
  readonly total?: number;
  /** Milliseconds since the epoch. */
  readonly lastByteAt: number;
  /** Upload in parts: how many the portal holds. */
  readonly parts?: number;
  /** How fast it is. */
  readonly stretch?: Stretch;
  /** Of a download that is relayed. */
  readonly sent?: SentParts;
}
