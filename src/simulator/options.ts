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
   * Platform version, such as `11.2`. API keys exist from 11.5. A later one than before on the same state is an upgrade in
   * place: tokens, jobs and parts that were not joined are lost (`upgrade.ts`).
   */
  version: string;
  /** Folder that keeps everything; a portal started on it again goes on where it was. */
  state: string;
  /** Name of a built-in seed, or path of a seed file. Used once, on an empty state. @default 'empty' */
  seed?: string;
  /**
   * What the portal's clock shows at the start; it goes on from there, also when the portal starts again.
   *
   * @format milliseconds since the epoch
   * @default the machine's clock, or what it was put to before
   */
  clock?: number;
  /** Bytes of the image in the seed `big`. @default 3 GiB */
  seedBytes?: number;
  /** Number of items in the seed `many`. @default 10000 */
  seedItems?: number;
  /** @default 'self-managed' */
  deployment?: Deployment;
  /** Word that a successful job ends with. @default 'completed' for both */
  finalStatus?: FinalStatus;
  /** Look-ups that answer `processing` before a job's end shows. @default 2 */
  jobPolls?: number;
  /** Least time that a job takes. An import spreads its items over it. @format milliseconds @default 0 */
  jobMs?: number;
  /** Item data is answered by a redirect to a second server with a signed address. @default false */
  redirect?: boolean;
  /** Item data ignores `Range`. @default false */
  noRange?: boolean;
  /** Item data comes without Content-Length. @default false */
  noLength?: boolean;
  /** Item data answers an error in a 200. @default false */
  dataErrors?: boolean;
  /** How the data of an item that has none is answered: with nothing, 500 or 400 `CONT_0001`. @default 'empty' */
  noData?: 'empty' | 'error' | 'absent';
  /** Free space of the content store that the portal reports and checks. @format gigabytes @default 200 */
  freeGb?: number;
  /**
   * What files of items may take in all. A write beyond it fails as one on a full disk does, whatever `freeGb` told
   * before: data, parts, the joining of parts, packages of exports, what imports bring.
   *
   * @format bytes
   * @default without limit
   */
  diskBytes?: number;
  /** @format bytes @default 5 GiB */
  maxPackageBytes?: number;
  /** @format bytes @default 1 GiB */
  maxItemBytes?: number;
  /** Fault plan, or path of a JSON file that holds one. */
  faults?: string | FaultPlan;
  /** Answers hold only the fields that docs/reference/portal-interface.md names. @default false */
  strict?: boolean;
  /** Nothing can be created, changed or deleted. @default false */
  readOnly?: boolean;
  /** Longest life of a token. @format milliseconds @default two weeks */
  tokenLifetimeMs?: number;
  /** Time after a commit, or an addItem with `async`, until the item can be read. @format milliseconds @default 300 */
  commitLagMs?: number;
  /** Time after a change until a search finds it. @format milliseconds @default 1000 */
  searchLagMs?: number;
  /**
   * The recycle bin of a portal whose version has one: it is on, or it is switched off; or the portal has none and says so,
   * whatever its `recycleBinEnabled` says.
   *
   * @default 'on'
   */
  recycleBin?: RecycleBin;
  /** Items whose export or import fails. */
  failExport?: readonly string[];
  failImport?: readonly string[];
  /** Items with which an import job fails as a whole, before it has imported anything. */
  failing?: readonly string[];
  /** A file name is its owner's once in a folder: another item with it is refused by 409, or not imported. @default false */
  uniqueFileNames?: boolean;
  /** A hosted service of which others are made, such as views, cannot be deleted. @default false */
  relatedServicesHold?: boolean;
  /** Services whose layers and tables do not tell when they were edited: ids of their items. */
  noEditDates?: readonly string[];
  /** How skipped and failed items are listed. @default 'object' */
  entryShape?: 'object' | 'string';
  /** Which id the preview is paged by. @default 'item' */
  previewId?: 'item' | 'summary';
  /** Time after the request for a preview until its pages are there. @format milliseconds @default 0 */
  previewLagMs?: number;
  /** Folder of imported items where an import names none. @default the title of the group */
  importFolder?: string;
  /**
   * What an import does with an item that it overwrites: it keeps the item and changes what is in it, or deletes it and
   * makes it anew, so that owner, folder, groups, access, protection and `created` are those of a new one.
   *
   * @default 'keep'
   */
  overwriting?: 'keep' | 'replace';
  /**
   * `created` of an item that an import makes: the time of the import, or what the source says.
   *
   * @default 'import'
   */
  importedCreated?: 'import' | 'source';
  /**
   * An import leaves alone what lies outside of the group, belongs to others or has another type, and its
   * preview says so; else only the client stands between these items and an overwriting import.
   *
   * @default false
   */
  refuseForeign?: boolean;
  /** An import brings items with their pictures. @default true */
  importThumbnails?: boolean;
  /** The result of an export job carries the three lists, beside the messages that embed them. @default false */
  exportLists?: boolean;
  /**
   * Export jobs that end well without a package, with the three lists as their whole result: those of an export of
   * nothing, which else is answered at once, or all.
   *
   * @default 'none'
   */
  withoutPackage?: 'none' | 'nothing' | 'all';
  /** An export works within its request whatever `async` says: HTTP 400, and the package stays. @default false */
  exportAtOnce?: boolean;
  /** Folder that packages of exports land in, whatever the export names. @default the one it names */
  packageFolder?: string;
  /** A request for the preview of an import starts the import, and answers its job. @default false */
  ignorePreviewOnly?: boolean;
  /** Groups that the list of an item's groups lacks, though their own listings have the item. @default none */
  unlistedGroups?: readonly string[];
  /** Calls to a user's item are answered only at the address of the folder that it lies in. @default false */
  itemCallsInFolder?: boolean;
  /** There is no `items/<id>/status`. @default false */
  noItemStatus?: boolean;
  /** Unknown addresses answer a page with HTTP 404, in place of an error in JSON. @default false */
  notFoundPages?: boolean;
  /** What an item answers that is there, but not for this user. @default 'absent' */
  unreadable?: 'absent' | 'denied';
  /** Items that are uploaded in parts stand in no listing, and cannot be read, until they are committed. @default false */
  hidePartial?: boolean;
  /** The portal tells `currentVersion` only, whatever its release. @default false */
  noEnterpriseVersion?: boolean;
  /** Requests that do not come by https are refused with code 403, subcode 4. @default false */
  httpsOnly?: boolean;
  /** Wrong passwords in a row that lock an account until the portal is started again; 0 is never. @default 0 */
  lockOutAfter?: number;
  /**
   * Applications that people may sign in to, by their app id: the redirect addresses registered for each. Clients of the
   * vendor have ids of their own on every portal, for any address.
   *
   * @default none
   */
  apps?: Readonly<Record<string, readonly string[]>>;
  /** Passwords of built-in users, in place of the known ones. */
  passwords?: Readonly<Record<string, string>>;
  /** Key and certificate (PEM); the portal then speaks https. */
  tls?: { readonly key: string; readonly cert: string };
}

export type Deployment = 'self-managed' | 'hosted';

export type RecycleBin = 'on' | 'off' | 'unsupported';

export interface FinalStatus {
  export?: string;
  import?: string;
}

/** The compiled options: every value set, may be changed while the portal runs. */
export interface Settings {
  name: string;
  release: Release;
  /** At the start; `setClock` puts it later. */
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

/** @throws Error that says what is wrong with the options */
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
 * Reads `export=W,import=W` of the command line; either part may be left out.
 *
 * @throws Error where the text has another form
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
