import type { PortalFacts, RunOnTarget } from '../../../domain/transfer/portal-facts';
import { PortolanError } from '../../../model/errors/errors';
import type { PreviewRow } from '../../../model/transfer/plan';
import type { Portal } from '../../../portal/client';
import { previewImport, type PreviewOutcome } from '../../../portal/resources/group-import';
import {
  type PreviewPage,
  readPreviewPage,
  type PreviewRow as PortalRow,
} from '../../../portal/resources/import-preview';
import { keys, ofPart } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { notYet } from '../../attempt/failure';
import { progress, stopSignal, lastProgress, activityTime } from '../../attempt/heartbeat';
import { importSeen, type ImportStarted, importStarted } from '../imports';
import { requireCurrentAttempt, forgetIntent, postOnce } from '../../attempt/post-once';
import type { CallOptions } from '../../../portal/http/request';
import { writePage } from './stored-lists';
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
  readonly packageIndex: number;
  readonly started: ImportStarted;
}

interface PackageToPreview {
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  readonly itemId: string;
}

interface RequestPreviews extends RunOnTarget {
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
  { packageIndex, itemId: packageItemId }: PackageToPreview,
): Promise<PreviewSeen | PreviewIgnored> {
  const portal = deps.portals.open(target.name);
  const { groupId } = route.target;
  const name = `preview${ofPart(packageIndex)}`;
  const seen = await postOnce<PreviewOutcome, PreviewSeen | PreviewIgnored>(deps, {
    runId,
    name,
    look: async (noted) => {
      const prepared = await preparedPreview(portal, groupId, packageItemId);
      if (prepared) return toSeen(prepared);
      const watched = { portal, groupId, packageItemId };
      const became = await importSeen(watched, noted, 'the request for a preview');
      return became === 'finished' ? { packageIndex, started: { kind: 'ended', lists: 'unknown' } } : 'again';
    },
    prepare: async () => ({
      send: (options) => askForPreview(portal, groupId, packageItemId, target, options),
    }),
    keep: async (answer, { at: startedAt }) => {
      if (answer.kind === 'started')
        return {
          packageIndex,
          started: await importStarted(deps, answer.started, { runId, startedAt, packageIndex }),
        };
      if (!saysNothing(answer.preview)) return toSeen(answer.preview);
      throw new PortolanError('BAD_RESPONSE', `${target.name} sent no preview`, { portal: target.name });
    },
  }).catch((thrown: unknown) => askAgainSoon(packageItemId, thrown));
  // Another preview of the package may be requested, for a later plan, unless that imports it.
  if (!('started' in seen)) await forgetIntent(deps.store, runId, name);
  return seen;
}

/** Lists the content of packages on the target from their previews, each under the store prefix of its reading. */
export async function listPackages(
  { portals, store }: ActivityDeps,
  { runId, target, groupId, packages }: ListPackages,
): Promise<void> {
  const portal = portals.open(target.name);
  const options = { beforeSending: requireCurrentAttempt };
  for (const { packageItemId, reading } of packages) {
    const answer = await askForPreview(portal, groupId, packageItemId, target, options).catch(
      (thrown: unknown) => askAgainSoon(packageItemId, thrown),
    );
    if (answer.kind === 'started')
      throw new PortolanError(
        'IMPORT_UNDECIDED',
        `${target.name} imported instead of previewing the safeguard`,
        { portal: target.name },
      );
    const previewId = answer.preview.packageSummary?.id;
    const folder = keys.preview(runId, reading);
    await readPreviewPages(portal, store, { groupId, packageItemId, previewId, folder });
  }
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
  try {
    const page = await readPreviewPage(portal, groupId, packageItemId, {});
    return saysNothing(page) ? undefined : page;
  } catch (thrown) {
    if (isUnknownPreview(thrown)) return undefined;
    throw thrown;
  }
}

/** Within this time, a package may not be ready for its preview, or the preview not for reading. @format milliseconds */
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
  if (error.code === 'BAD_REQUEST' && activityTime() - cursor.since < READY_WITHIN_MS) {
    throw notYet(`the preview was refused: ${error.plainMessage}`, 3_000);
  }
  throw thrown;
}

interface PreviewReading {
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
  readonly previews: Readonly<Record<string, Cursor>>;
}

const cursorOf = (packageItemId: string): Cursor => ({
  nextStart: 1,
  rows: 0,
  pages: 0,
  since: activityTime(),
  ...lastProgress<Readings>().previews?.[packageItemId],
});

const keepCursor = (packageItemId: string, cursor: Cursor): void =>
  progress({
    previews: { ...lastProgress<Readings>().previews, [packageItemId]: cursor },
  } satisfies Readings);

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
    if (promised && activityTime() - cursor.since < READY_WITHIN_MS)
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
        page: await readPreviewPage(portal, reading.groupId, manner.id, at),
      };
    } catch (thrown) {
      if (cursor.manner || !isUnknownPreview(thrown)) throw thrown;
      refused ??= thrown;
    }
  }
  if (activityTime() - cursor.since < READY_WITHIN_MS)
    throw notYet('the preview is not ready yet', LOOK_AGAIN_MS);
  const ids = [...new Set(manners.map(({ id }) => id))].join(' and ');
  throw incomplete(portal, `was not found under ${ids}: ${PortolanError.from(refused).plainMessage}`);
}

function mannersOf({ packageItemId, previewId }: PreviewReading): Manner[] {
  const ids =
    previewId === undefined || previewId === packageItemId ? [packageItemId] : [packageItemId, previewId];
  return [PAGE_MAX, PREVIEW_PAGE_DEFAULT].flatMap((num) => ids.map((id) => ({ id, num })));
}

/** Whether the portal knows no preview there, or not yet. */
const isUnknownPreview = (thrown: unknown): boolean =>
  PortolanError.is(thrown, 'NOT_FOUND', 'ITEM_NOT_FOUND', 'GROUP_NOT_FOUND', 'BAD_REQUEST');

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
