import { fileRunId } from '../model/run/run-id';

/** The file that makes a folder a snapshot. */
export const MANIFEST = 'manifest.json';
/** The file that says that a snapshot was forgotten. */
export const FORGOTTEN = 'forgotten.json';
/** What may lie beside the manifest of a snapshot. */
export const PIN = 'pin.json';
export const PROOFS = 'proofs';
export const CONFIRMED = 'confirmed.json';

const fileOf =
  (folder: string) =>
  (name: string) =>
  (id: string): string =>
    `${folder}/${id}/${name}`;
const ofRun = fileOf('runs');
const ofSnapshot = fileOf('snapshots');
const ofRelease = fileOf('releases');
const ofRoute =
  (file: string) =>
  ({ name, source, target }: RouteKey): string =>
    `routes/${name}-${source.groupId}-${target?.groupId ?? 'backup'}/${file}`;

/** Keys of the store, all in one place, so that a run's folder can be removed as a whole. */
export const keys = {
  /** Identifies the key of an encrypted store; absent in others. */
  encryption: 'encryption.json',
  /** ID of the store. */
  storeId: 'store.json',
  /** Test file of `Store.check`. */
  checks: 'check/',
  runs: 'runs/',
  /** Index of recorded runs by day, one folder per day. */
  runDays: 'index/days/',
  runsOfDay: (day: string) => `index/days/${day}/`,
  runOfDay: (day: string, runId: string) => `index/days/${day}/${runId}.json`,
  /** Index of recorded runs by the end of their IDs. */
  runsOfEnd: (end: string) => `index/ends/${end}/`,
  runOfEnd: (end: string, runId: string) => `index/ends/${end}/${runId}.json`,
  /** Index of the items that backups hold, by route. */
  heldItems: 'index/items/',
  heldItemsOf: (route: string) => `index/items/${encodeURIComponent(route)}.json`,
  /** Snapshots that were proven, by their IDs. */
  provenSnapshots: 'index/proven/',
  provenSnapshot: (id: string) => `index/proven/${id}.json`,
  /** The run or snapshot of a name in an index folder; undefined for other names. */
  idOfIndexed: (name: string) => /^(.+)\.json$/.exec(name)?.[1],
  record: ofRun('record.json'),
  /** The signed start of a run. */
  start: ofRun('start.json'),
  /** The last signed approval of the run. */
  approval: ofRun('approval.json'),
  /** That a promotion has started to write. */
  begun: ofRun('begun.json'),
  /** New values of a portal change. */
  desired: ofRun('desired.json'),
  /** Previous values of a portal change. */
  before: ofRun('before.json'),
  /** Pages of the source group's listing at the start of the run. */
  requested: ofRun('working/requested/'),
  /** References between requested items. */
  links: ofRun('working/links.json'),
  /** The package of each requested item, after the last split. */
  division: ofRun('working/division.json'),
  /** One intent per write that must not be repeated blindly. */
  intent: (runId: string, name: string) => `runs/${runId}/working/intent-${name}.json`,
  /** Marks an intent whose request was not sent or started nothing. */
  withdrawnIntent: (runId: string, name: string, id: string) =>
    `runs/${runId}/working/intent-${name}-withdrawn-${id}.json`,
  /** The target's records of items the run created. */
  created: ofRun('created.json'),
  /** State of overwritten items after the run. */
  left: ofRun('left.json'),
  /** Folders the run creates for new items. */
  madeFolders: ofRun('made-folders.json'),
  /** Desired placement of created items. */
  arrangement: ofRun('working/arrangement.json'),
  /** JSON of mapped items, one folder per item. */
  documents: ofRun('documents/'),
  /** JSON of an overwritten item before the import. */
  documentBefore: (runId: string, itemId: string) => `runs/${runId}/documents/${itemId}/before.json`,
  /** JSON of an imported item before mapping. */
  documentImported: (runId: string, itemId: string) => `runs/${runId}/documents/${itemId}/imported.json`,
  /** The item of such a key; undefined for other keys. */
  itemOfImported: (key: string) => /\/documents\/([^/]+)\/imported\.json$/.exec(key)?.[1],
  /** Addresses that the run's imports rewrite. */
  importedAddresses: ofRun('working/addresses.json'),
  /** The content of an item as the run's package has it. */
  comingContent: (runId: string, itemId: string) => `runs/${runId}/working/content/${itemId}.json`,
  /** What the stage's map changes in the snapshot's items. */
  mappable: ofRun('working/mappable.json'),
  /** Folders of the importing account before the import, and those the import used. */
  importFolders: ofRun('import-folders.json'),
  /** Marks that a rollback has started to delete an item. */
  removal: (runId: string, itemId: string) => `runs/${runId}/working/removals/${itemId}.json`,
  /** Outcome of the items created by the run that is rolled back. */
  undone: ofRun('undone.json'),
  /** IDs of items restored from copies. */
  putBack: ofRun('working/put-back.json'),
  /** Items whose placement changed, and how. */
  displaced: ofRun('working/displaced.json'),
  /** Result lists of a job. @param part index of the package, from 0 */
  jobLists: (runId: string, name: string, part: number) =>
    `runs/${runId}/working/${name}${ofPart(part)}-lists.json`,
  /** Ids of everything in the source group, requested or not. */
  sourceIds: ofRun('working/source-ids.json'),
  /** Pages of saved items, before the safeguard is complete. */
  saved: (runId: string, snapshotId: string) => `runs/${runId}/working/saved/${snapshotId}/`,
  /** IDs of items that earlier imports of the run changed. */
  movedBefore: ofRun('working/moved-before.json'),
  /** IDs of items the target did not have right before the run's import. */
  absentBefore: ofRun('working/absent-before.json'),
  /** Comparison settings and fingerprints of the source before the export, used to mark items as unchanged. */
  beginning: ofRun('working/beginning.json'),
  /** Fingerprints of imported items on the target right after the import. */
  seenOnTarget: ofRun('working/seen-on-target.json'),
  /** IDs of items whose placement was restored. */
  rearranged: ofRun('working/rearranged.json'),
  sourceCounts: ofRun('working/source-counts.json'),
  /** What the run needs, and what belongs to its package while that is kept. */
  working: ofRun('working/'),
  /** A list of item IDs that a run or its child runs are limited to. */
  itemList: ofRun('items.json'),
  preview: (runId: string, reading: string) => `runs/${runId}/working/preview-${reading}/`,
  run: ofRun(''),
  plan: (runId: string, reading: number) => `runs/${runId}/plan-${reading}.json`,
  /** Whole plan of a promotion, by its sha256. */
  wholePlan: (runId: string, sha256: string) => `runs/${runId}/whole-plan-${sha256}.json`,
  /** Which of a run's plans a key names; undefined for any other key. */
  readingOfPlan: (key: string) => /\/plan-(\d+)\.json$/.exec(key)?.[1],
  ledger: ofRun('ledger.json'),
  verification: ofRun('verification.json'),
  /** The source group at the start of a backup, with the layers of its hosted services. */
  rowsNow: ofRun('working/rows-now.json'),
  /** What a backup reuses from its parent snapshot. */
  basis: ofRun('working/basis.json'),
  verified: ofRun('working/verified/'),
  /** Findings of earlier runs about unchanged items; part of the verification. */
  verifiedBefore: ofRun('working/verified/before.json'),
  /** Problems of mapping; part of the verification. */
  verifiedMapping: ofRun('working/verified/mapping.json'),
  packages: 'packages/',
  packagesOfRun: (runId: string) => `packages/${runId}/`,
  /** @param part its index, from 0 */
  package: (runId: string, part: number) => `packages/${runId}/${part + 1}.epk`,
  packageNote: (runId: string) => `packages/${runId}/keep.json`,
  /** The run of a keep marker; undefined for other keys. */
  runOfPackageNote: (key: string) => /^packages\/(.+)\/keep\.json$/.exec(key)?.[1],
  snapshots: 'snapshots/',
  snapshot: ofSnapshot(''),
  /** A package that the snapshot added; later snapshots may name it too. @param part its index, from 0 */
  snapshotPackage: (snapshotId: string, part: number) => `snapshots/${snapshotId}/package-${part + 1}.epk`,
  /** JSON of items that the snapshot added; later snapshots may name it too. */
  snapshotContents: (snapshotId: string, sha256: string) => `snapshots/${snapshotId}/contents-${sha256}.br`,
  snapshotRows: ofSnapshot('rows.json'),
  /** A copied item that is not in a package: its record and data. */
  snapshotCopy: (snapshotId: string, itemId: string) => `snapshots/${snapshotId}/items/${itemId}/`,
  snapshotManifest: ofSnapshot(MANIFEST),
  snapshotPin: ofSnapshot(PIN),
  releases: 'releases/',
  release: ofRelease(''),
  releaseManifest: ofRelease('manifest.json'),
  releasePin: ofRelease('pin.json'),
  /** Blocked releases. */
  blocks: 'blocks/',
  block: (sha256: string) => `blocks/${sha256}.json`,
  /** Log of blocked and unblocked releases. */
  blockLog: 'block-log/',
  /** The groups of a rule's run, and what is reported of them. */
  runGroups: ofRun('groups.json'),
  /** The groups of a rule when it last looked. @param rule its name among routes */
  ruleGroups: (rule: string) => `rules/${rule}/groups.json`,
  /** How the last run of a rule ended. */
  ruleOutcome: (rule: string) => `rules/${rule}/outcome.json`,
  /** What of a portal was not protected when somebody asked last. */
  coverage: (portal: string) => `coverage/${portal}.json`,
  promotions: 'promotions/',
  pipeline: (pipeline: string) => `promotions/${pipeline}/`,
  /** History of a stage. */
  stage: (pipeline: string, stage: string) => `promotions/${pipeline}/${stage}/`,
  promotion: ({ pipeline, stage, runId, kind }: Record<'pipeline' | 'stage' | 'runId' | 'kind', string>) =>
    `promotions/${pipeline}/${stage}/${fileRunId(runId)}-${kind}.json`,
  /** Settings and categories read for a release. */
  portalState: ofRun('portal-state.json'),
  /** State of the target after the last run of a route; shows later edits, and a group that shrank. */
  lastRun: ofRoute('last.json'),
  /** Last outcome of each item of a route, where the listings do not show it. */
  outcomes: ofRoute('outcomes.json'),
  routes: 'routes/',
  /** Last problem of a route, until a run succeeds. */
  trouble: ofRoute('trouble.json'),
  /** Current freeze of a portal. @param address as `portalIdentity` has it */
  freeze: (address: string) => `freezes/${encodeURIComponent(address)}.json`,
  /** Log of freezes and unfreezes, of all portals or one. */
  freezeLogs: 'freezes/log/',
  freezeLog: (address: string) => `freezes/log/${encodeURIComponent(address)}/`,
  /** Log of actions on schedules of a task queue. */
  scheduleLog: (taskQueue: string) => `schedules/log/${encodeURIComponent(taskQueue)}/`,
  /** The banner a run shows on a portal, and the previous one. */
  banner: (portal: string) => `banners/${portal}.json`,
  /** Result of the last message to a receiver. */
  lastDelivery: (receiver: string) => `hooks/out/${receiver}/last.json`,
  /** Messages to a receiver that are pending. */
  openDeliveries: (receiver: string) => `hooks/out/${receiver}/open/`,
  openDelivery: (receiver: string, webhookId: string) => `hooks/out/${receiver}/open/${webhookId}.json`,
  /** Last call of a hook. */
  lastCall: (hook: string) => `hooks/in/${hook}.json`,
  /** Events of a portal that have called a hook lately. */
  events: (hook: string) => `hooks/in/${hook}/`,
  /** The hook call that started the run. */
  call: ofRun('call.json'),
  /** Since when a route's backup is overdue, and when that was last notified. */
  age: ofRoute('age.json'),
} as const;

/** What distinguishes routes. */
interface RouteKey {
  readonly name: string;
  readonly source: { readonly groupId: string };
  /** A backup has none. */
  readonly target?: { readonly groupId: string };
}

/** Suffix for one of a run's packages; people count from 1. @param part from 0 */
export const ofPart = (part: number): string => `-p${part + 1}`;

/** Keys of the outcomes of all routes into a group. @param names of the folders in `keys.routes` */
export const outcomesInto = (groupId: string, names: readonly string[]): string[] =>
  names.filter((name) => name.endsWith(`-${groupId}`)).map((name) => `${keys.routes}${name}/outcomes.json`);

/** Name of a page that keeps the order of the listing: `000000101.json` for `start` 101. */
export const pageName = (start: number): string => `${String(start).padStart(9, '0')}.json`;

/** Name of a log entry, in the order of time. @param at milliseconds since the epoch */
export const eventName = (at: number, id: string): string =>
  `${String(Math.floor(at)).padStart(16, '0')}-${id}.json`;

/** When a log entry was made, by its name. @format milliseconds since the epoch */
export const timeOfEvent = (name: string): number => Number(name.slice(0, 16));

/** Small files of a snapshot. */
export const snapshotKeys = {
  /** That a snapshot can be restored, as one run has shown it. */
  proofs: ofSnapshot(`${PROOFS}/`),
  proof: (id: string, runId: string) => `${keys.snapshot(id)}${PROOFS}/${runId}.json`,
  confirmed: ofSnapshot(CONFIRMED),
  copiedRecord: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}item.json`,
  copiedData: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}data`,
  /** One of the files beside its data. */
  copiedFile: (id: string, itemId: string, index: number) => `${keys.snapshotCopy(id, itemId)}files/${index}`,
  /** The picture of an item, for whoever puts it back where it stood. */
  thumbnail: (id: string, itemId: string) => `${keys.snapshotCopy(id, itemId)}thumbnail`,
  /** Packages in other folders that the snapshot names, or may name once it is committed. */
  claim: ofSnapshot('claim.json'),
  /** A snapshot that was forgotten; stays as long as one of its packages does. */
  forgotten: ofSnapshot(FORGOTTEN),
  /** When a folder without a manifest was first seen. */
  leftSince: ofSnapshot('left.json'),
  /** That a package is not what was stored. @param key of the package */
  damage: (key: string) => `${key}.damage.json`,
} as const;

/** The safeguard of what one of a run's plans overwrites. */
export const safeguardId = (runId: string, reading: string): string => `${runId}-safeguard-${reading}`;

/** The run that a snapshot belongs to, by its id: safeguards are named after their run. */
export const runOfSnapshot = (id: string): string => id.replace(/-safeguard-\d+$/, '');
