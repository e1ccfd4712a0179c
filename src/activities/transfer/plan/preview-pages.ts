import { PortolanError } from '../../../model/errors/errors';
import type { PreviewRow } from '../../../model/transfer/preview';
import type { Portal } from '../../../portal/client';
import {
  type PreviewRow as PortalRow,
  type PreviewPage,
  readPreviewPage,
} from '../../../portal/resources/import-preview';
import { tooMuch } from '../../../portal/http/response-limits';
import { PAGE_MAX, PAGES_MAX, PREVIEW_PAGE_DEFAULT } from '../../../portal/http/limits';
import type { Store } from '../../../store/store';
import { notYet } from '../../attempt/failure';
import { lastProgress, progress, stopSignal } from '../../attempt/heartbeat';
import { writePage } from './stored-lists';
import { serverTime } from '../../attempt/clock';

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
