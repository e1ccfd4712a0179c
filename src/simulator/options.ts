import { Release } from './versions';
import type { FaultPlan } from './faults';

/** Options of a simulated portal, as `portolan simulate` and tests give them. */
export interface SimulatorOptions {
  /** Port to listen on; 0 or absent takes the port of an earlier start on the same state, else any free one. */
  port?: number;
  /** @default '127.0.0.1' */
  host?: string;
  /** Name shown to people. */
  name: string;
  /**
   * Platform version, such as `11.2`. API keys exist from 11.5. A later version on the same state is an in-place upgrade,
   * which loses tokens, jobs and parts not yet joined (`upgrade.ts`).
   */
  version: string;
  /** Folder with the portal's state; a portal started on it again continues. */
  state: string;
  /** Name of a built-in seed, or path of a seed file. Only used on an empty state. @default 'empty' */
  seed?: string;
  /**
   * Initial time of the portal's clock, which then keeps running, also across restarts.
   *
   * @format milliseconds since the epoch
   * @default the machine's clock, or the last setting
   */
  clock?: number;
  /** Size of the image in the seed `big`, in bytes. @default 3 GiB */
  seedBytes?: number;
  /** Number of items in the seed `many`. @default 10000 */
  seedItems?: number;
  /** @default 'self-managed' */
  deployment?: Deployment;
  /** Status of a successful job. @default 'completed' for both */
  finalStatus?: FinalStatus;
  /** Polls that return `processing` before a job's end shows. @default 2 */
  jobPolls?: number;
  /** Minimum duration of a job. An import spreads its items over it. @format milliseconds @default 0 */
  jobMs?: number;
  /** Item data redirects to a signed URL on a second server. @default false */
  redirect?: boolean;
  /** Item data ignores `Range`. @default false */
  noRange?: boolean;
  /** Item data has no Content-Length. @default false */
  noLength?: boolean;
  /** Item data returns an error with HTTP 200. @default false */
  dataErrors?: boolean;
  /** Response for the data of an item without data: nothing, 500 or 400 `CONT_0001`. @default 'empty' */
  noData?: 'empty' | 'error' | 'absent';
  /** Free space of the content store that the portal reports and checks. @format gigabytes @default 200 */
  freeGb?: number;
  /**
   * Limit for files of items. A write beyond it fails like on a full disk, whatever `freeGb` says: data, parts, joining
   * parts, export packages, imported items.
   *
   * @format bytes
   * @default no limit
   */
  diskBytes?: number;
  /** @format bytes @default 5 GiB */
  maxPackageBytes?: number;
  /** @format bytes @default 1 GiB */
  maxItemBytes?: number;
  /** Fault plan, or path of its JSON file. */
  faults?: string | FaultPlan;
  /** Responses only have fields named in docs/reference/portal-interface.md. @default false */
  strict?: boolean;
  /** Nothing can be created, changed or deleted. @default false */
  readOnly?: boolean;
  /** Longest lifetime of a token. @format milliseconds @default two weeks */
  tokenLifetimeMs?: number;
  /** Time after a commit, or an addItem with `async`, until the item can be read. @format milliseconds @default 300 */
  commitLagMs?: number;
  /** Time after a change until a search finds it. @format milliseconds @default 1000 */
  searchLagMs?: number;
  /**
   * The recycle bin of a portal whose version has one: on or off. `unsupported`: the portal has none and says so, whatever
   * its `recycleBinEnabled` says.
   *
   * @default 'on'
   */
  recycleBin?: RecycleBin;
  /** Items whose export or import fails. */
  failExport?: readonly string[];
  failImport?: readonly string[];
  /** Items that fail an import job as a whole, before it imports anything. */
  failing?: readonly string[];
  /** An owner can use a file name once per folder: another item with it is refused with 409, or not imported. @default false */
  uniqueFileNames?: boolean;
  /** A hosted service with derived ones, such as views, cannot be deleted. @default false */
  relatedServicesHold?: boolean;
  /** Item IDs of services whose layers and tables report no edit dates. */
  noEditDates?: readonly string[];
  /** How skipped and failed items are listed. @default 'object' */
  entryShape?: 'object' | 'string';
  /** The ID used to page the preview. @default 'item' */
  previewId?: 'item' | 'summary';
  /** Time after a preview is requested until its pages exist. @format milliseconds @default 0 */
  previewLagMs?: number;
  /** Folder of imported items if the import names none. @default the group's title */
  importFolder?: string;
  /**
   * How an import overwrites an item: keeps it and changes its content, or deletes and recreates it, with owner, folder,
   * groups, access, protection and `created` of a new one.
   *
   * @default 'keep'
   */
  overwriting?: 'keep' | 'replace';
  /**
   * `created` of an imported item: the time of the import, or the source's value.
   *
   * @default 'import'
   */
  importedCreated?: 'import' | 'source';
  /**
   * An import skips items outside the group, of other users or of another type, and its preview says so. Otherwise only
   * the client protects these items from an overwriting import.
   *
   * @default false
   */
  refuseForeign?: boolean;
  /** An import includes thumbnails. @default true */
  importThumbnails?: boolean;
  /** The result of an export job has the three lists, in addition to the messages that contain them. @default false */
  exportLists?: boolean;
  /**
   * Export jobs that succeed without a package, with the three lists as their only result: those with nothing to export
   * (otherwise finished at once), or all.
   *
   * @default 'none'
   */
  withoutPackage?: 'none' | 'nothing' | 'all';
  /** An export runs within its request, whatever `async` says: HTTP 400, and the package stays. @default false */
  exportAtOnce?: boolean;
  /** Folder for export packages, whatever the export names. @default the one it names */
  packageFolder?: string;
  /** A request for an import preview starts the import, and returns its job. @default false */
  ignorePreviewOnly?: boolean;
  /** Groups missing from an item's list of groups, although their own listings have the item. @default none */
  unlistedGroups?: readonly string[];
  /** Requests for a user's item only work at the URL of its folder. @default false */
  itemCallsInFolder?: boolean;
  /** There is no `items/<id>/status`. @default false */
  noItemStatus?: boolean;
  /** Unknown URLs return a page with HTTP 404 instead of a JSON error. @default false */
  notFoundPages?: boolean;
  /** Response for an item that exists, but not for this user. @default 'absent' */
  unreadable?: 'absent' | 'denied';
  /** Items uploaded in parts are neither listed nor readable until committed. @default false */
  hidePartial?: boolean;
  /** The portal reports `currentVersion` only, whatever its release. @default false */
  noEnterpriseVersion?: boolean;
  /** Requests without https are refused with code 403, subcode 4. @default false */
  httpsOnly?: boolean;
  /** Consecutive wrong passwords that lock an account until the portal restarts; 0 is never. @default 0 */
  lockOutAfter?: number;
  /**
   * Applications for sign-in, by app ID, with their registered redirect URLs. The vendor's clients have IDs on every
   * portal, valid for any URL.
   *
   * @default none
   */
  apps?: Readonly<Record<string, readonly string[]>>;
  /** Passwords of built-in users, instead of the known ones. */
  passwords?: Readonly<Record<string, string>>;
  /** Key and certificate (PEM), which enable https. */
  tls?: { readonly key: string; readonly cert: string };
}

export type Deployment = 'self-managed' | 'hosted';

export type RecycleBin = 'on' | 'off' | 'unsupported';

export interface FinalStatus {
  export?: string;
  import?: string;
}

/** The complete options, which may be changed while the portal runs. */
export interface Settings {
  name: string;
  release: Release;
  /** Initial value; `setClock` changes it. */
  readonly clock: number | undefined;
  deployment: Deployment;
  finalStatus: { export: string; import: string };
  jobPolls: number;
  jobMs: number;
  redirect: boolean;
  noRange: boolean;
  noLength: boolean;
  dataErrors: boolean;
  noData: 'empty' | 'error' | 'absent';
  freeGb: number;
  diskBytes: number;
  maxPackageBytes: number;
  maxItemBytes: number;
  strict: boolean;
  readOnly: boolean;
  tokenLifetimeMs: number;
  commitLagMs: number;
  searchLagMs: number;
  recycleBin: RecycleBin;
  failExport: readonly string[];
  failImport: readonly string[];
  failing: readonly string[];
  uniqueFileNames: boolean;
  relatedServicesHold: boolean;
  noEditDates: readonly string[];
  entryShape: 'object' | 'string';
  previewId: 'item' | 'summary';
  previewLagMs: number;
  importFolder: string | undefined;
  overwriting: 'keep' | 'replace';
  importedCreated: 'import' | 'source';
  refuseForeign: boolean;
  importThumbnails: boolean;
  exportLists: boolean;
  withoutPackage: 'none' | 'nothing' | 'all';
  exportAtOnce: boolean;
  packageFolder: string | undefined;
  ignorePreviewOnly: boolean;
  unlistedGroups: readonly string[];
  itemCallsInFolder: boolean;
  noItemStatus: boolean;
  notFoundPages: boolean;
  unreadable: 'absent' | 'denied';
  hidePartial: boolean;
  noEnterpriseVersion: boolean;
  httpsOnly: boolean;
  lockOutAfter: number;
  apps: Readonly<Record<string, readonly string[]>>;
}

const gibibyte = 1024 ** 3;

/** @throws Error that describes what is invalid */
export function compileOptions(options: SimulatorOptions): Settings {
  const release = new Release(options.version);
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === 'number' && (Number.isNaN(value) || value < 0)) {
      throw new Error(`${name} must be a number of at least 0, not ${value}`);
    }
  }
  return {
    name: options.name,
    release,
    clock: options.clock,
    deployment: options.deployment ?? 'self-managed',
    finalStatus: {
      export: options.finalStatus?.export ?? 'completed',
      import: options.finalStatus?.import ?? 'completed',
    },
    jobPolls: options.jobPolls ?? 2,
    jobMs: options.jobMs ?? 0,
    redirect: options.redirect ?? false,
    noRange: options.noRange ?? false,
    noLength: options.noLength ?? false,
    dataErrors: options.dataErrors ?? false,
    noData: options.noData ?? 'empty',
    freeGb: options.freeGb ?? 200,
    diskBytes: options.diskBytes ?? Number.POSITIVE_INFINITY,
    maxPackageBytes: options.maxPackageBytes ?? 5 * gibibyte,
    maxItemBytes: options.maxItemBytes ?? gibibyte,
    strict: options.strict ?? false,
    readOnly: options.readOnly ?? false,
    tokenLifetimeMs: options.tokenLifetimeMs ?? 14 * 24 * 3600_000,
    commitLagMs: options.commitLagMs ?? 300,
    searchLagMs: options.searchLagMs ?? 1000,
    recycleBin: options.recycleBin ?? 'on',
    failExport: options.failExport ?? [],
    failImport: options.failImport ?? [],
    failing: options.failing ?? [],
    uniqueFileNames: options.uniqueFileNames ?? false,
    relatedServicesHold: options.relatedServicesHold ?? false,
    noEditDates: options.noEditDates ?? [],
    entryShape: options.entryShape ?? 'object',
    previewId: options.previewId ?? 'item',
    previewLagMs: options.previewLagMs ?? 0,
    importFolder: options.importFolder,
    overwriting: options.overwriting ?? 'keep',
    importedCreated: options.importedCreated ?? 'import',
    refuseForeign: options.refuseForeign ?? false,
    importThumbnails: options.importThumbnails ?? true,
    exportLists: options.exportLists ?? false,
    withoutPackage: options.withoutPackage ?? 'none',
    exportAtOnce: options.exportAtOnce ?? false,
    packageFolder: options.packageFolder,
    ignorePreviewOnly: options.ignorePreviewOnly ?? false,
    unlistedGroups: options.unlistedGroups ?? [],
    itemCallsInFolder: options.itemCallsInFolder ?? false,
    noItemStatus: options.noItemStatus ?? false,
    notFoundPages: options.notFoundPages ?? false,
    unreadable: options.unreadable ?? 'absent',
    hidePartial: options.hidePartial ?? false,
    noEnterpriseVersion: options.noEnterpriseVersion ?? false,
    httpsOnly: options.httpsOnly ?? false,
    lockOutAfter: options.lockOutAfter ?? 0,
    apps: options.apps ?? {},
  };
}

/**
 * Reads `export=W,import=W` from the command line; either part may be missing.
 *
 * @throws Error if the text has another form
 */
export function parseFinalStatus(text: string): FinalStatus {
  const status: FinalStatus = {};
  for (const part of text.split(',').filter((piece) => piece !== '')) {
    const match = /^(export|import)=(.+)$/.exec(part.trim());
    if (!match) throw new Error(`"${part}" is not export=WORD or import=WORD`);
    status[match[1] as 'export' | 'import'] = match[2];
  }
  return status;
}
