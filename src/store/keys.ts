import { fileRunId } from '../model/run/run-id';

/** Where things lie in the store. One place, so that a run's folder can be removed as a whole. */
export const keys = {
  /** Tells with which key a store is encrypted; there is none in others. */
  encryption: 'encryption.json',
  /** What tells the store from others. */
  storeId: 'store.json',
  /** What is written and removed again to see whether that can be done. */
  checks: 'check/',
  runs: 'runs/',
  /** Runs of which there is a record, by their days, a folder each. */
  runDays: 'index/days/',
  runsOfDay: (day: string) => `index/days/${day}/`,
  runOfDay: (day: string, runId: string) => `index/days/${day}/${runId}.json`,
  /** The same by the ends of their ids. */
  runsOfEnd: (end: string) => `index/ends/${end}/`,
  runOfEnd: (end: string, runId: string) => `index/ends/${end}/${runId}.json`,
  /** The run of such a key, or of its name in its folder; undefined for any other one. */
  runOfIndexed: (key: string) => /([^/]+)\.json$/.exec(key)?.[1],
  /** That no run is missing there. */
  wholeRunIndex: 'index/whole.json',
  record: (runId: string) => `runs/${runId}/record.json`,
  /** With what a run was started, as it was signed. */
  start: (runId: string) => `runs/${runId}/start.json`,
  /** The last yes to a plan of the run, as it was signed. */
  approval: (runId: string) => `runs/${runId}/approval.json`,
  /** What a change of a portal is to put there. */
  desired: (runId: string) => `runs/${runId}/desired.json`,
  /** What a change of a portal found there. */
  before: (runId: string) => `runs/${runId}/before.json`,
  /** Pages of the source group's listing as it was when the run started. */
  requested: (runId: string) => `runs/${runId}/working/requested/`,
  /** To which others of them requested items refer. */
  links: (runId: string) => `runs/${runId}/working/links.json`,
  /** In which packages requested items lie, as the last cut has decided it. */
  division: (runId: string) => `runs/${runId}/working/division.json`,
  /** One intent per write that must not be repeated blindly. */
  intent: (runId: string, name: string) => `runs/${runId}/working/intent-${name}.json`,
  /** An intent whose request was not sent, or began nothing. */
  withdrawnIntent: (runId: string, name: string, id: string) =>
    `runs/${runId}/working/intent-${name}-withdrawn-${id}.json`,
  /** What the target says of the items that the run created. */
  created: (runId: string) => `runs/${runId}/created.json`,
  /** How the run has left what it overwrote. */
  left: (runId: string) => `runs/${runId}/left.json`,
  /** Folders that the run makes for what it creates. */
  madeFolders: (runId: string) => `runs/${runId}/made-folders.json`,
  /** How what the run created is to stand. */
  arrangement: (runId: string) => `runs/${runId}/working/arrangement.json`,
  /** The JSON of items that the run maps, an item a folder. */
  documents: (runId: string) => `runs/${runId}/documents/`,
  /** That of an item that is overwritten, as it was before the import. */
  documentBefore: (runId: string, itemId: string) => `runs/${runId}/documents/${itemId}/before.json`,
  /** That of an imported item, as it was before it was mapped. */
  documentImported: (runId: string, itemId: string) => `runs/${runId}/documents/${itemId}/imported.json`,
  /** The item of such a key; undefined for any other one. */
  itemOfImported: (key: string) => /\/documents\/([^/]+)\/imported\.json$/.exec(key)?.[1],
  /** What a map changes in the items of the snapshot that the run brings. */
  mappable: (runId: string) => `runs/${runId}/working/mappable.json`,
  /** Folders of the account that imports before its import, and those that the import used. */
  importFolders: (runId: string) => `runs/${runId}/import-folders.json`,
  /** That a rollback has begun to remove an item. */
  removal: (runId: string, itemId: string) => `runs/${runId}/working/removals/${itemId}.json`,
  /** What became of all that the run that was undone had created. */
  undone: (runId: string) => `runs/${runId}/undone.json`,
  /** Ids of items that were put back one by one. */
  putBack: (runId: string) => `runs/${runId}/working/put-back.json`,
  /** Items that stand otherwise than before, and in what. */
  displaced: (runId: string) => `runs/${runId}/working/displaced.json`,
  /** The lists with which a job of the run ended. @param part number of the package, from 0 */
  jobLists: (runId: string, name: string, part: number) =>
    `runs/${runId}/working/${name}${ofPart(part)}-lists.json`,
  /** Ids of everything in the source group, requested or not. */
  sourceIds: (runId: string) => `runs/${runId}/working/source-ids.json`,
  /** Pages of what a safeguard has saved, before it is complete. */
  saved: (runId: string, snapshotId: string) => `runs/${runId}/working/saved/${snapshotId}/`,
  /** Ids of items that earlier imports of the run were seen to have changed. */
  movedBefore: (runId: string) => `runs/${runId}/working/moved-before.json`,
  /** Ids of items that the target did not have right before the run's import was to create them. */
  absentBefore: (runId: string) => `runs/${runId}/working/absent-before.json`,
  /** Which bytes of its package the run has begun to send, before it had the whole. */
  carried: (runId: string) => `runs/${runId}/working/carried.json`,
  /** What the source showed before the export, and what was in force: by this the run settles its items. */
  beginning: (runId: string) => `runs/${runId}/working/beginning.json`,
  /** What the target showed of imported items right after the import. */
  seenOnTarget: (runId: string) => `runs/${runId}/working/seen-on-target.json`,
  /** Ids of items whose placement was put back. */
  rearranged: (runId: string) => `runs/${runId}/working/rearranged.json`,
  sourceCounts: (runId: string) => `runs/${runId}/working/source-counts.json`,
  /** What the run itself needs, and of it what belongs to its package as long as that is kept. */
  working: (runId: string) => `runs/${runId}/working/`,
  /** A list of item ids that a run is limited to, or parts of it are. */
  itemList: (runId: string) => `runs/${runId}/items.json`,
  preview: (runId: string, reading: string) => `runs/${runId}/working/preview-${reading}/`,
  run: (runId: string) => `runs/${runId}/`,
  plan: (runId: string, reading: number) => `runs/${runId}/plan-${reading}.json`,
  /** Of a promotion: what it does with all of its groups, by the sha256 of that. */
  wholePlan: (runId: string, sha256: string) => `runs/${runId}/whole-plan-${sha256}.json`,
  /** Which of a run's plans a key names; undefined for any other key. */
  readingOfPlan: (key: string) => /\/plan-(\d+)\.json$/.exec(key)?.[1],
  ledger: (runId: string) => `runs/${runId}/ledger.json`,
  verification: (runId: string) => `runs/${runId}/verification.json`,
  /** The source group as a backup found it, with the layers of its hosted services. */
  rowsNow: (runId: string) => `runs/${runId}/working/rows-now.json`,
  /** What of an earlier snapshot a backup takes over. */
  basis: (runId: string) => `runs/${runId}/working/basis.json`,
  verified: (runId: string) => `runs/${runId}/working/verified/`,
  /** What earlier runs found wrong with items that nobody has touched since: a part of the verification. */
  verifiedBefore: (runId: string) => `runs/${runId}/working/verified/before.json`,
  /** What went wrong where items were mapped: a part of the verification. */
  verifiedMapping: (runId: string) => `runs/${runId}/working/verified/mapping.json`,
  packages: 'packages/',
  packagesOfRun: (runId: string) => `packages/${runId}/`,
  /** @param part its number, from 0 */
  package: (runId: string, part: number) => `packages/${runId}/${part + 1}.epk`,
  packageNote: (runId: string) => `packages/${runId}/keep.json`,
  /** The run that a keep note belongs to; undefined for any other key. */
  runOfPackageNote: (key: string) => /^packages\/(.+)\/keep\.json$/.exec(key)?.[1],
  /** Packages of snapshots, by the sha256 of what is in them: the same bytes lie here once. */
  storedPackages: 'stored/',
  storedPackage: (sha256: string) => `stored/${sha256}.epk`,
  /** That a stored package was seen to be damaged. @param file its name there */
  damagedPackage: (file: string) => `damaged/${file}.json`,
  snapshots: 'snapshots/',
  snapshot: (snapshotId: string) => `snapshots/${snapshotId}/`,
  /** Where a package is before the snapshot is committed. @param part its number, from 0 */
  snapshotPackage: (snapshotId: string, part: number) => `snapshots/${snapshotId}/package-${part + 1}.epk`,
  snapshotRows: (snapshotId: string) => `snapshots/${snapshotId}/rows.json`,
  /** An item that is no part of the package: its record and its data. */
  snapshotCopy: (snapshotId: string, itemId: string) => `snapshots/${snapshotId}/items/${itemId}/`,
  snapshotManifest: (snapshotId: string) => `snapshots/${snapshotId}/manifest.json`,
  snapshotPin: (snapshotId: string) => `snapshots/${snapshotId}/pin.json`,
  snapshotProofs: (snapshotId: string) => `snapshots/${snapshotId}/proofs.json`,
  releases: 'releases/',
  release: (releaseId: string) => `releases/${releaseId}/`,
  releaseManifest: (releaseId: string) => `releases/${releaseId}/manifest.json`,
  /** The release that a manifest belongs to; undefined for any other key. */
  releaseOfManifest: (key: string) => /^releases\/([^/]+)\/manifest\.json$/.exec(key)?.[1],
  releasePin: (releaseId: string) => `releases/${releaseId}/pin.json`,
  /** The settings of the portal where it was made, as a file has them. */
  releaseSettings: (releaseId: string) => `releases/${releaseId}/settings.json`,
  /** Its category schema. */
  releaseCategories: (releaseId: string) => `releases/${releaseId}/categories.json`,
  /** Runs that are about to make a release of that id. */
  releaseClaims: (releaseId: string) => `releases/${releaseId}/claims/`,
  releaseClaim: (releaseId: string, runId: string) => `releases/${releaseId}/claims/${runId}.json`,
  promotions: 'promotions/',
  pipeline: (pipeline: string) => `promotions/${pipeline}/`,
  /** What became of the releases that came to a stage. */
  stage: (pipeline: string, stage: string) => `promotions/${pipeline}/${stage}/`,
  /** In the order of time. */
  promotion: (pipeline: string, stage: string, at: string, runId: string) =>
    `promotions/${pipeline}/${stage}/${at.replace(/[^0-9]/g, '')}-${fileRunId(runId)}.json`,
  /** What a run has read of its portal for a release. */
  portalState: (runId: string) => `runs/${runId}/working/portal-state.json`,
  /** What the last run of a route left on its target: tells edits made there since, and a group that shrank. */
  lastRun: (route: RouteKey) => `${routeFolder(route)}last.json`,
  /** What runs of a route last came to for each item, which its two groups do not show. */
  outcomes: (route: RouteKey) => `${routeFolder(route)}outcomes.json`,
  routes: 'routes/',
  /** What last went wrong on a route, until a run of it ends well. */
  trouble: (route: RouteKey) => `${routeFolder(route)}trouble.json`,
  /** Why nothing is written into a portal for now. @param address as `portalIdentity` has it */
  freeze: (address: string) => `freezes/${encodeURIComponent(address)}.json`,
  /** Who froze portals and who undid it; and the same of one portal. */
  freezeLogs: 'freezes/log/',
  freezeLog: (address: string) => `freezes/log/${encodeURIComponent(address)}/`,
  /** In the order of time. @param at milliseconds since the epoch */
  freezeEvent: (address: string, at: number, id: string) =>
    `freezes/log/${encodeURIComponent(address)}/${String(Math.floor(at)).padStart(16, '0')}-${id}.json`,
  /** Who paused, resumed and started schedules of a task queue. */
  scheduleLog: (taskQueue: string) => `schedules/log/${encodeURIComponent(taskQueue)}/`,
  /** In the order of time. @param at milliseconds since the epoch */
  scheduleEvent: (taskQueue: string, at: number, id: string) =>
    `schedules/log/${encodeURIComponent(taskQueue)}/${String(Math.floor(at)).padStart(16, '0')}-${id}.json`,
  /** Which banner a run shows on a portal, and what was there before. */
  banner: (portal: string) => `banners/${portal}.json`,
  /** What became of the message that was last sent to a receiver. */
  lastDelivery: (receiver: string) => `hooks/out/${receiver}/last.json`,
  /** Messages to it that have not arrived yet. */
  openDeliveries: (receiver: string) => `hooks/out/${receiver}/open/`,
  openDelivery: (receiver: string, webhookId: string) => `hooks/out/${receiver}/open/${webhookId}.json`,
  /** What last came in by a hook. */
  lastCall: (hook: string) => `hooks/in/${hook}.json`,
  /** By what a hook started the run. */
  call: (runId: string) => `runs/${runId}/call.json`,
  /** Since when a route has no good snapshot that is young enough, and when it was notified of last. */
  age: (route: RouteKey) => `${routeFolder(route)}age.json`,
} as const;

/**
 * Whether a note carries the mark of the store's key: all that say what is written into a portal, removed from it, or
 * held for approved, verified or safe. The others decide what stays in the store, or when somebody is notified of what;
 * those of snapshots have marks of their own, or are named by such a one with their sha256.
 */
export const isAuthentic = (key: string): boolean =>
  /^(runs|banners|freezes)\//.test(key) || /^routes\/[^/]+\/(last|outcomes)\.json$/.test(key);

/** What lies at the top of a store. */
const tops = [
  'banners',
  'check',
  'damaged',
  'encryption.json',
  'freezes',
  'going',
  'hooks',
  'index',
  'packages',
  'promotions',
  'releases',
  'routes',
  'runs',
  'schedules',
  'snapshots',
  'store.json',
  'stored',
];

/** Whether a name at the top of a folder is one of a store's, or of a file on its way there. */
export const isOfStore = (name: string): boolean =>
  tops.some((top) => name === top || name.startsWith(`${top}.`));

/** What tells one route's notes from another's. */
interface RouteKey {
  readonly name: string;
  readonly source: { readonly groupId: string };
  /** A backup has none. */
  readonly target?: { readonly groupId: string };
}

const routeFolder = ({ name, source, target }: RouteKey): string =>
  `routes/${name}-${source.groupId}-${target?.groupId ?? 'backup'}/`;

/** What tells the names of a run's packages apart; people count from 1. @param part from 0 */
export const ofPart = (part: number): string => `-p${part + 1}`;

/** Keys of the outcomes of routes into a group. @param names what lies in `keys.routes` */
export const outcomesInto = (groupId: string, names: readonly string[]): string[] =>
  names.filter((name) => name.endsWith(`-${groupId}`)).map((name) => `${keys.routes}${name}/outcomes.json`);

/** Name of a page that keeps the order of the listing: `000000101.json` for `start` 101. */
export const pageName = (start: number): string => `${String(start).padStart(9, '0')}.json`;
