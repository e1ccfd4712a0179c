import { z } from 'zod';
import { placement } from '../transfer/placement';

/** Services have no size, or one of -1. @format bytes */
export const knownSize = (size: number | undefined): number | undefined =>
  size !== undefined && size >= 0 ? size : undefined;

/** Some portals send 0 or -1 for an unknown time. @format milliseconds since the epoch */
export const knownTime = (at: number | undefined): number | undefined =>
  at !== undefined && at > 0 ? at : undefined;

/** A layer or table of a hosted service, as it was when the snapshot was taken. */
const snapshotLayer = z.object({
  layerId: z.number(),
  name: z.string(),
  /** Rows; absent where the layer gave no answer. */
  count: z.number().optional(),
  /** @format milliseconds since the epoch; absent where the layer does not tell it */
  lastEditDate: z.number().optional(),
  /** What tells its fields and their kinds from others; absent where the layer does not tell them. */
  schema: z.string().optional(),
});
export type SnapshotLayer = z.infer<typeof snapshotLayer>;

/** The files of an item that was saved one by one. */
const snapshotCopy = z.object({
  /** Of the item's record, as JSON text. */
  recordSha256: z.string(),
  /** Of the item's data. */
  dataSha256: z.string(),
  /** Of the data. */
  sizeBytes: z.number(),
  /** What it had beside its data, in the order of the files in the store. */
  files: z.array(
    z.object({
      kind: z.enum(['resource', 'thumbnail']),
      /** As the portal names it. */
      path: z.string(),
      sizeBytes: z.number(),
      sha256: z.string(),
    }),
  ),
  /** Whether it lay in the group; absent where that was not known. */
  inGroup: z.boolean().optional(),
});
export type SnapshotCopy = z.infer<typeof snapshotCopy>;

/** An item as its group listed it when the snapshot was taken. */
export const snapshotRow = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  /** @format bytes; services tell none */
  size: z.number().optional(),
  /** @format milliseconds since the epoch */
  modified: z.number().optional(),
  owner: z.string().optional(),
  /** Address of a hosted service. */
  url: z.string().optional(),
  /** A hosted feature service, whose features can change without the item. */
  hosted: z.boolean().optional(),
  /** Absent where it is no hosted service, or where the service did not tell its layers. */
  layers: z.array(snapshotLayer).optional(),
  /**
   * `package`: in the package, as the portal said. `presumed`: asked for, and the portal did not say what it put in.
   * `copy`: record and data as files beside it. `no`: not saved, and `reason` says why.
   */
  saved: z.enum(['package', 'presumed', 'copy', 'no']),
  reason: z.string().optional(),
  /** In which of the snapshot's packages it lies, as `packagesIn` has them. @default 0 */
  package: z.number().int().nonnegative().optional(),
  /** What the files of a copy are known by. */
  copy: snapshotCopy.optional(),
  /** Of a safeguard, and of the backups of a release: how it stood on the portal; absent where that could not be read. */
  placement: placement.optional(),
  /** In which of the manifest's `contents` its JSON lies, if it was kept. @default 0 */
  content: z.number().int().nonnegative().optional(),
});
export type SnapshotRow = z.infer<typeof snapshotRow>;
/** An item as its group lists it now. */
export interface LiveRow extends Omit<SnapshotRow, 'saved' | 'reason' | 'package' | 'content'> {
  /** What tells its owner, folder, sharing level and delete protection from others, as far as it was listed. */
  readonly standing?: string;
}

/** The portal and group of which a snapshot was taken, as far as a restore needs to know them. */
export const snapshotSource = z.object({
  /** Name in portolan.yaml when it was taken. */
  portal: z.string(),
  /** `{base_url}` without a slash at the end. */
  url: z.string(),
  aliases: z.array(z.string()),
  /** Under which name the portal knew itself. */
  hostname: z.string().optional(),
  /** The portal's own id. */
  portalId: z.string(),
  /** The version in the portal's words; empty where it told none. */
  version: z.string(),
  /** Every address under which the portal, or a server of it, was known. */
  addresses: z.array(z.string()),
  groupId: z.string(),
  groupTitle: z.string().optional(),
});
export type SnapshotSource = z.infer<typeof snapshotSource>;

/** A package in the store. */
export const namedPackage = z.object({ key: z.string(), sizeBytes: z.number(), sha256: z.string() });
export type NamedPackage = z.infer<typeof namedPackage>;

/** The snapshot on which another one builds: what was as it was then was not exported again. */
export const snapshotBase = z.object({
  id: z.string(),
  /** The last one before it for which everything was exported, and when that was taken. */
  full: z.object({ id: z.string(), at: z.iso.datetime() }),
  /** Items that were exported again or for the first time. */
  changed: z.number(),
  /** How many of the packages, the first ones, hold these; the others are those of earlier snapshots. */
  added: z.number(),
  /** Items that it held and that had left the group, or were not asked for any more. */
  removed: z.array(z.object({ itemId: z.string(), type: z.string(), title: z.string() })),
});
export type SnapshotBase = z.infer<typeof snapshotBase>;

/** The file from another store in which it came: when, and the sha256 of the public key that its signature was checked with. */
export const importedFile = z.object({ at: z.iso.datetime(), keySha256: z.string() });

/** `backup`: of a whole group, or of chosen items. `safeguard`: of what an import was about to overwrite. */
export const snapshotKinds = ['backup', 'safeguard'] as const;

/**
 * What a snapshot is. It exists when its manifest does: everything else of it is in the store before. The manifest is
 * authenticated with a key that is not in the store, and names its rows and its package by their sha256.
 */
export const snapshotManifest = z.object({
  id: z.string(),
  kind: z.enum(snapshotKinds),
  /** The run that took it. */
  runId: z.string(),
  /** Name of the route; `adhoc` where none was named. */
  route: z.string(),
  /** The schedule that started the run. */
  scheduledBy: z.string().optional(),
  tags: z.array(z.string()),
  /** Only some items of the group were asked for. */
  chosen: z.boolean().optional(),
  source: snapshotSource,
  /** When its export was requested, by Temporal's clock. */
  takenAt: z.iso.datetime(),
  /** When it was committed here. */
  createdAt: z.iso.datetime(),
  /** False where something that was asked for is not in it: it never counts as a good one. */
  complete: z.boolean(),
  /** Absent where no item could be exported and all are copies. */
  package: namedPackage.optional(),
  /** Further packages in which items of it lie; none that no row needs. */
  more: z.array(namedPackage).optional(),
  /** Files that hold the JSON of its items, those of earlier snapshots first. */
  contents: z.array(namedPackage).optional(),
  /** Absent where everything was exported. */
  since: snapshotBase.optional(),
  /** The account that exported it; noted where the route's backups build on each other. */
  account: z.string().optional(),
  rows: z.object({
    /** Key of the rows, a JSON list of `snapshotRow`. */
    key: z.string(),
    /** Of the file's bytes. */
    sha256: z.string(),
    count: z.number(),
    /** Of `count`, how many are saved: in the package, presumed there, or copied. */
    saved: z.number(),
  }),
  imported: importedFile.optional(),
});
export type SnapshotManifest = z.infer<typeof snapshotManifest>;

type Packaged = Pick<SnapshotManifest, 'package' | 'more'>;

/** All packages of a snapshot, in the order to which its rows refer. */
export const packagesIn = ({ package: first, more = [] }: Packaged): NamedPackage[] =>
  first ? [first, ...more] : [];

/** All files of a snapshot that others may share: its packages, and those with its items' JSON. */
export const sharedFilesIn = (manifest: Packaged & Pick<SnapshotManifest, 'contents'>): NamedPackage[] => [
  ...packagesIn(manifest),
  ...(manifest.contents ?? []),
];

/** What lies in its packages altogether. @format bytes */
export const bytesIn = (manifest: Packaged): number => sizeOf(packagesIn(manifest));

const sizeOf = (packages: readonly NamedPackage[]): number =>
  packages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** What it added to the store; the rest was there before. @format bytes */
export const addedBytes = (manifest: Packaged & Pick<SnapshotManifest, 'since'>): number =>
  sizeOf(packagesIn(manifest).slice(0, manifest.since?.added));

/** Whether an item lies in a package, as far as the portal said. */
export const isPackaged = ({ saved }: Partial<Pick<SnapshotRow, 'saved'>>): boolean =>
  saved === 'package' || saved === 'presumed';

/** The package of an item; undefined where it lies in none. */
export const packageOf = (
  manifest: Packaged,
  row: Partial<Pick<SnapshotRow, 'saved' | 'package'>>,
): NamedPackage | undefined => (isPackaged(row) ? packagesIn(manifest)[row.package ?? 0] : undefined);

/** What keeps a snapshot from being forgotten. */
export const snapshotPin = z.object({
  at: z.iso.datetime(),
  /** Claimed, not proven: `user@host`. */
  who: z.string(),
  reason: z.string().optional(),
});
export type SnapshotPin = z.infer<typeof snapshotPin>;

/** `previewed`: a portal read the whole package. `imported`: and imported all of it, which was read back. */
export const proofLevels = ['previewed', 'imported'] as const;

/** That a snapshot can be restored: a drill, or a restore, has shown it. */
export const snapshotProof = z.object({
  level: z.enum(proofLevels),
  at: z.iso.datetime(),
  /** The portal that showed it. */
  portal: z.string(),
  runId: z.string(),
  /** Items that the portal found in the package. */
  items: z.number(),
});
export type SnapshotProof = z.infer<typeof snapshotProof>;

/** That a later backup found its group as it is in the snapshot, and so made none. */
export const snapshotConfirmation = z.object({
  at: z.iso.datetime(),
  runId: z.string(),
});
export type SnapshotConfirmation = z.infer<typeof snapshotConfirmation>;

/** How long a safeguard stays once its run has ended. @format milliseconds */
export const SAFEGUARD_STAYS_MS = 30 * 86_400_000;

/** Which snapshots of a route stay. Every rule keeps its own; a snapshot goes only where no rule keeps it. */
export interface RetentionPolicy {
  /** The newest so many. */
  readonly last?: number;
  /** The newest of each of the newest so many hours, days, ISO weeks, months, years that have one; in UTC. */
  readonly hourly?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
  readonly yearly?: number;
  /** All that are younger, counted back from the newest. @format milliseconds */
  readonly withinMs?: number;
  /** All that carry one of these tags. */
  readonly tags?: readonly string[];
}
