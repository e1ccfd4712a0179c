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
  /** `packageSummary.id` of the preview's answer. */
  readonly previewId?: string;
  /** Items in the package, where the preview's answer said so. */
  readonly total?: number;
  /** Prefix in the store under which the pages are kept. */
  readonly folder: string;
}

/** How a portal's preview is asked for; found by trying, kept in the heartbeat. */
interface Manner {
  readonly id: string;
  readonly num: number;
}

/** How far the reading of a package's preview is. */
interface Cursor {
  readonly manner?: Manner;
  readonly nextStart: number;
  readonly rows: number;
  readonly pages: number;
  /** Since when the preview is asked for, milliseconds since the epoch. */
  readonly since: number;
}

/** Each package of a call has a cursor of its own, by the id of its item. */
interface Readings {
  readonly previews?: Readonly<Record<string, Cursor>>;
}

export const cursorOf = (packageItemId: string): Cursor => ({
  ...{ nextStart: 1, rows: 0, pages: 0, since: serverTime() },
  ...lastProgress<Readings>()?.previews?.[packageItemId],
});

export const keepCursor = (packageItemId: string, cursor: Cursor): void =>
  progress({
    previews: { ...lastProgress<Readings>()?.previews, [packageItemId]: cursor },
  } satisfies Readings);

/** A portal prepares a preview in the background; its first page may not be there at once. */
const FIRST_PAGE_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 2_000;

/**
 * Reads a preview to its last page into the store. Pages are asked for under the package's item id, 100 rows at a
 * time; portals that know the summary's id only, or take no more than the default, answer that the preview is not
 * found or the request not good, and are asked in those manners.
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
  // A portal that does not say so lets the import decide.
  canImport: row.canImport ?? true,
  modified: row.modified,
});
