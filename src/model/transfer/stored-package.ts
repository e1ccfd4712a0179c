/** A package in the store. */
export interface PackageInStore {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether the portal said how long it is. */
  readonly sizeChecked: boolean;
  /** When the portal made it, by its own clock. @format milliseconds since the epoch */
  readonly madeAt?: number;
}

/** What came of a file, and how long that took, since its rate was judged last. */
export interface Stretch {
  readonly bytes: number;
  /** @format milliseconds */
  readonly ms: number;
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
}
