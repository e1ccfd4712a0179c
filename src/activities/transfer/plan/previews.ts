import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { PortolanError } from '../../../model/errors/errors';
import { previewRow, type PreviewRow } from '../../../model/transfer/preview';
import { createdItems } from '../../../model/transfer/created-items';
import { mappedFigures } from '../../../model/release/reference-map';
import type { Plan, PlanAction, PlanSummary } from '../../../model/transfer/plan';
import type { Route } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import { previewImport, type PreviewOutcome } from '../../../portal/resources/group-import';
import {
  type PreviewPage,
  readPreviewPage,
  type PreviewRow as PortalRow,
} from '../../../portal/resources/import-preview';
import { keys, ofPart } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { MadeFolder } from '../../snapshot/made-folder';
import { notYet } from '../../attempt/failure';
import { progress, stopSignal, lastProgress } from '../../attempt/heartbeat';
import { importSeen, type ImportStarted, importStarted } from '../import-watch';
import { requireOurs } from '../../attempt/fence';
import { forgetIntent, postOnce } from '../../attempt/post-once';
import type { CallOptions } from '../../../portal/http/request';
import { figuresOfMapped, mappable, mappableItems } from '../../../domain/release/mappable-items';
import { hashOfMap, mapOfRun, type MapOfRun } from '../../release/map-of-run';
import { readPages, writePage } from './stored-lists';
import type { RowOfPart } from '../../../domain/transfer/plan-of';
import { buildPlan, buildUndoPlan, type PlanUndo, type ReadPlan } from './plan-building';
import { serverTime } from '../../attempt/clock';
import { tooMuch } from '../../../portal/http/response-limits';
import { PAGE_MAX, PAGES_MAX, PREVIEW_PAGE_DEFAULT } from '../../../portal/http/limits';
import type { Store } from '../../../store/store';

/** What the preview says about the package. */
export interface PreviewSeen {
  readonly previewId?: string;
  /** Number of items in the package. */
  readonly total: number;
  readonly sourceVersion?: string;
  /** URLs of the portal that made the package, from the preview. */
  readonly sourceAddresses: readonly string[];
}

/** The portal ignores `previewOnly`: an import of that package is running. */
export interface PreviewIgnored {
  readonly part: number;
  readonly started: ImportStarted;
}

interface PackageToPreview {
  /** Index of the package, from 0. */
  readonly part: number;
  readonly itemId: string;
}

interface RequestPreviews {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly packages: readonly PackageToPreview[];
}

interface PackageToList {
  readonly packageItemId: string;
  /** Distinguishes this reading from others of the run. */
  readonly reading: string;
}

export interface ListPackages {
  readonly runId: string;
  readonly target: PortalFacts;
  readonly groupId: string;
  readonly packages: readonly PackageToList[];
}

/**
 * Requests a preview from the target. A response with a job or result lists means that an import has started, and is
 * reported as such. If the response was lost, a repeat first checks for that, and for the preview.
 * An empty response counts as lost, unless the preview is found at its own URL.
 */
export async function requestPreviews(
  deps: ActivityDeps,
  input: RequestPreviews,
): Promise<readonly PreviewSeen[] | PreviewIgnored> {
  const previews: PreviewSeen[] = [];
  for (const each of input.packages) {
    const seen = await previewOf(deps, input, each);
    if ('started' in seen) return seen;
    previews.push(seen);
  }
  return previews;
}

async function previewOf(
  deps: ActivityDeps,
  { runId, route, target }: RequestPreviews,
  { part, itemId: packageItemId }: PackageToPreview,
): Promise<PreviewSeen | PreviewIgnored> {
  const portal = deps.portals.open(target.name);
  const { groupId } = route.target;
  const name = `preview${ofPart(part)}`;
  const seen = await postOnce<PreviewOutcome, PreviewSeen | PreviewIgnored>(deps, {
    ...{ runId, name },
    look: async (noted) => {
      const prepared = await preparedPreview(portal, groupId, packageItemId);
      if (prepared) return toSeen(prepared);
      const watched = { portal, groupId, packageItemId };
      const became = await importSeen(watched, noted, 'the request for a preview');
      return became === 'finished' ? { part, started: { kind: 'ended', lists: 'unknown' } } : 'again';
    },
    prepare: async () => ({
      send: (options) => askForPreview(portal, groupId, packageItemId, target, options),
    }),
    keep: async (answer, { at: startedAt }) => {
      if (answer.kind === 'started')
        return { part, started: await importStarted(deps, answer.started, { runId, startedAt, part }) };
      if (!saysNothing(answer.preview)) return toSeen(answer.preview);
      throw new PortolanError('BAD_RESPONSE', `${target.name} sent no preview`, { portal: target.name });
    },
  }).catch((thrown: unknown) => askAgainSoon(packageItemId, thrown));
  // Another preview of the package may be requested, for a later plan.
  await forgetIntent(deps.store, runId, name);
  return seen;
}

/** Lists the content of packages on the target from their previews, each under the store prefix of its reading. */
export async function listPackages(deps: ActivityDeps, input: ListPackages): Promise<void> {
  for (const each of input.packages) await listOne(deps, input, each);
}

async function listOne(
  { portals, store }: ActivityDeps,
  { runId, target, groupId }: ListPackages,
  { packageItemId, reading }: PackageToList,
): Promise<void> {
  const portal = portals.open(target.name);
  const options = { beforeSending: requireOurs };
  const answer = await askForPreview(portal, groupId, packageItemId, target, options).catch(
    (thrown: unknown) => askAgainSoon(packageItemId, thrown),
  );
  if (answer.kind === 'started') {
    throw new PortolanError(
      'IMPORT_UNDECIDED',
      `${target.name} imported instead of previewing the safeguard`,
      { portal: target.name },
    );
  }
  await readPreviewPages(portal, store, {
    groupId,
    packageItemId,
    previewId: answer.preview.packageSummary?.id,
    folder: keys.preview(runId, reading),
  });
}

/** Reads the whole preview, joins it with the target's content, and saves the plan in the store. */
export async function readPlan(deps: ActivityDeps, input: ReadPlan): Promise<PlanSummary> {
  const { portals, store, authority } = deps;
  const rows: RowOfPart[] = [];
  for (const [part, { itemId, previewId, total }] of input.packages.entries()) {
    if (part < (input.imported?.parts ?? 0)) continue;
    const folder = keys.preview(input.runId, `${input.reading}${ofPart(part)}`);
    await readPreviewPages(portals.open(input.target.name), store, {
      groupId: input.route.target.groupId,
      packageItemId: itemId,
      previewId,
      total,
      folder,
    });
    const found = await readPages(store, folder, previewRow);
    rows.push(...found.map((row) => ({ ...row, part })));
  }
  const map = input.maps ? await mapOfRun(authority, input.runId) : undefined;
  const built = await buildPlan(deps, input, rows, map && hashOfMap(map.map));
  const plan = map ? { ...built, mapped: await mappedByPlan(deps, input.runId, map, built) } : built;
  if (input.putRight && input.importsNext !== false) await rememberFolders(deps, input);
  return await keepPlan(deps, input, plan);
}

/** Saves the plan of a rollback without an import: what it restores from copies and deletes. */
export async function planUndo(deps: ActivityDeps, input: PlanUndo): Promise<PlanSummary> {
  return await keepPlan(deps, input, await buildUndoPlan(deps, input));
}

async function keepPlan(
  { store }: ActivityDeps,
  { runId, reading }: Pick<ReadPlan, 'runId' | 'reading'>,
  plan: Plan,
): Promise<PlanSummary> {
  const ref = keys.plan(runId, reading);
  await store.writeJson(ref, plan);
  const count = (action: PlanAction): number => plan.rows.filter((row) => row.action === action).length;
  const [restore, remove] = [count('restore'), count('remove')];
  return {
    create: count('create'),
    overwrite: count('overwrite'),
    ...(restore > 0 && { restore }),
    ...(remove > 0 && { remove }),
    same: count('same'),
    drifted: plan.rows.filter(({ drifted }) => drifted).length,
    keep: count('keep'),
    blocked: count('blocked'),
    extra: count('extra'),
    hash: plan.hash,
    sha256: plan.sha256,
    arrivedLater: plan.arrivedLater,
    ...(plan.mapped && { mapped: mappedFigures.parse(plan.mapped) }),
    ref,
  };
}

/** Records the folders before the run's first import, so that the import's own folder can be recognized. */
async function rememberFolders(
  { store, portals }: ActivityDeps,
  { runId, route, target }: ReadPlan,
): Promise<void> {
  if ((await store.readJson(keys.created(runId), createdItems)) !== undefined) return;
  const options = { signal: stopSignal() };
  const folder = new MadeFolder(store, portals.open(target.name), { runId, route, target }, options);
  await folder.rememberOthers().catch((thrown: unknown) => {
    // If the owner's folders are not visible, none is ever deleted.
    if (PortolanError.from(thrown).code !== 'PERMISSION_DENIED') throw thrown;
  });
}

async function mappedByPlan(
  deps: ActivityDeps,
  runId: string,
  { map, snapshotId }: MapOfRun,
  { rows }: Plan,
): Promise<Plan['mapped']> {
  const { store } = deps;
  // Computed once per run: neither its snapshot nor its map changes.
  const known = await store.readJson(keys.mappable(runId), mappable);
  const items = known ?? (await mappableItems(deps, snapshotId, map, progress));
  if (!known) await store.writeJson(keys.mappable(runId), items);
  const written = rows.filter(({ action }) => action === 'create' || action === 'overwrite');
  return { ...figuresOfMapped(written, items), map: hashOfMap(map) };
}

function toSeen(preview: PreviewPage): PreviewSeen {
  const { id, sourcePortalInfo: from } = preview.packageSummary ?? {};
  return {
    previewId: id,
    total: preview.total ?? preview.results.length,
    sourceVersion: from?.version,
    sourceAddresses: [from?.httpsUrl, from?.httpUrl].flatMap((address) => address || []),
  };
}

const saysNothing = ({ packageSummary, total, results }: PreviewPage): boolean =>
  !packageSummary && total === undefined && results.length === 0;

/** The first page of the preview, if the portal has it. */
async function preparedPreview(
  portal: Portal,
  groupId: string,
  packageItemId: string,
): Promise<PreviewPage | undefined> {
  const page = await readPreviewPage(portal, groupId, packageItemId, {}, { signal: stopSignal() }).catch(
    unlessUnknown,
  );
  return page && !saysNothing(page) ? page : undefined;
}

function unlessUnknown(thrown: unknown): undefined {
  if (isUnknownPreview(thrown)) return undefined;
  throw thrown;
}

/** A package just added may not be ready for its preview; another request changes nothing. */
const READY_WITHIN_MS = 60_000;

function askForPreview(
  portal: Portal,
  groupId: string,
  packageItemId: string,
  target: PortalFacts,
  options: CallOptions,
): Promise<PreviewOutcome> {
  // A portal that imports instead of previewing must not overwrite anything.
  const request = { itemId: packageItemId, overwriteExistingItems: false, version: target.release };
  return previewImport(portal, groupId, request, { ...options, signal: stopSignal() });
}

function askAgainSoon(packageItemId: string, thrown: unknown): never {
  const cursor = cursorOf(packageItemId);
  keepCursor(packageItemId, cursor);
  const error = PortolanError.from(thrown);
  if (error.code === 'BAD_REQUEST' && serverTime() - cursor.since < READY_WITHIN_MS) {
    throw notYet(`the preview was refused: ${error.plainMessage}`, 3_000);
  }
  throw thrown;
}

export interface PreviewReading {
  readonly groupId: string;
  readonly packageItemId: string;
  /** `packageSummary.id` of the preview. */
  readonly previewId?: string;
  /** Number of items in the package, if the preview says so. */
  readonly total?: number;
  /** Store prefix of the pages. */
  readonly folder: string;
}

/** How to request a portal's preview; found by trying, kept in the heartbeat. */
interface Manner {
  readonly id: string;
  readonly num: number;
}

/** Progress of reading a package's preview. */
interface Cursor {
  readonly manner?: Manner;
  readonly nextStart: number;
  readonly rows: number;
  readonly pages: number;
  /** When the preview was first requested, milliseconds since the epoch. */
  readonly since: number;
}

/** Each package has its own cursor, by item ID. */
interface Readings {
  readonly previews?: Readonly<Record<string, Cursor>>;
}

export const cursorOf = (packageItemId: string): Cursor => ({
  ...{ nextStart: 1, rows: 0, pages: 0, since: serverTime() },
  ...lastProgress<Readings>()?.previews?.[packageItemId],
});

export const keepCursor = (packageItemId: string, cursor: Cursor): void =>
  progress({
    ...lastProgress(),
    previews: { ...lastProgress<Readings>()?.previews, [packageItemId]: cursor },
  } satisfies Readings);

/** A portal prepares a preview in the background, so its first page may take a while. */
const FIRST_PAGE_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 2_000;

/**
 * Reads a whole preview into the store. Requests pages by the package's item ID, 100 rows at a time. Portals that only
 * know the summary's ID, or only the default page size, respond that the preview does not exist or the request is
 * invalid; then the other ways are tried.
 */
export async function readPreviewPages(portal: Portal, store: Store, reading: PreviewReading): Promise<void> {
  const { packageItemId } = reading;
  let cursor = cursorOf(packageItemId);
  keepCursor(packageItemId, cursor);
  while (cursor.nextStart > 0) {
    const { nextStart: start } = cursor;
    const { manner, page } = await readPage(portal, reading, cursor);
    const promised = start === 1 && page.results.length === 0 && (reading.total ?? 0) > 0;
    if (promised && serverTime() - cursor.since < FIRST_PAGE_WITHIN_MS)
      throw notYet('the preview has no rows yet', LOOK_AGAIN_MS);
    await writePage(store, reading.folder, start, page.results.map(toRow));
    const nextStart = page.nextStart ?? -1;
    const rows = cursor.rows + page.results.length;
    const pages = cursor.pages + 1;
    if (pages > PAGES_MAX) throw tooMuch(portal.name, 'group.importPreview', `more than ${PAGES_MAX} pages`);
    if (nextStart > 0 && nextStart <= start) throw incomplete(portal, `does not advance from row ${start}`);
    if (nextStart <= 0 && page.total !== undefined && rows < page.total) {
      throw incomplete(portal, `ends after ${rows} of ${page.total} items`);
    }
    cursor = { ...cursor, manner, nextStart, rows, pages };
    keepCursor(packageItemId, cursor);
  }
}

async function readPage(
  portal: Portal,
  reading: PreviewReading,
  cursor: Cursor,
): Promise<{ manner: Manner; page: PreviewPage }> {
  const manners = cursor.manner ? [cursor.manner] : mannersOf(reading);
  let refused: unknown;
  for (const manner of manners) {
    try {
      const at = { start: cursor.nextStart, num: manner.num };
      return {
        manner,
        page: await readPreviewPage(portal, reading.groupId, manner.id, at, { signal: stopSignal() }),
      };
    } catch (thrown) {
      if (cursor.manner || !isUnknownPreview(thrown)) throw thrown;
      refused ??= thrown;
    }
  }
  if (serverTime() - cursor.since < FIRST_PAGE_WITHIN_MS)
    throw notYet('the preview is not ready yet', LOOK_AGAIN_MS);
  const ids = [...new Set(manners.map(({ id }) => id))].join(' and ');
  throw incomplete(portal, `was not found under ${ids}: ${PortolanError.from(refused).plainMessage}`);
}

function mannersOf({ packageItemId, previewId }: PreviewReading): Manner[] {
  const ids =
    previewId === undefined || previewId === packageItemId ? [packageItemId] : [packageItemId, previewId];
  return [PAGE_MAX, PREVIEW_PAGE_DEFAULT].flatMap((num) => ids.map((id) => ({ id, num })));
}

const unknownPreview: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'ITEM_NOT_FOUND',
  'GROUP_NOT_FOUND',
  'BAD_REQUEST',
]);

/** Whether the portal knows no preview there, or not yet. */
export const isUnknownPreview = (thrown: unknown): boolean =>
  thrown instanceof PortolanError && unknownPreview.has(thrown.code);

const incomplete = (portal: Portal, how: string): PortolanError =>
  new PortolanError('BAD_RESPONSE', `the preview on ${portal.name} ${how}`, { portal: portal.name });

const toRow = (row: PortalRow): PreviewRow => ({
  itemId: row.id,
  type: row.type ?? '?',
  title: row.title ?? '?',
  size: row.size,
  exists: row.exists ?? false,
  // If the portal does not say, the import decides.
  canImport: row.canImport ?? true,
  modified: row.modified,
});
