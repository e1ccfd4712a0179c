import { hashOfText } from '../../domain/snapshot/hashing';
import { snapshotKeys } from '../../domain/snapshot/snapshot-keys';
import { holdsReferences } from '../../domain/transfer/item-types';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { DOCUMENT_BYTES_MAX } from '../../domain/transfer/references/item-content';
import { mapLimited } from '../../model/map-limited';
import { isPackaged, type SnapshotRow } from '../../model/snapshot/snapshot';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { readItemText } from '../../portal/resources/items/items';
import type { ActivityDeps } from '../deps';
import { lastError, progress, stopSignal } from '../attempt/heartbeat';

interface DocumentedSnapshot {
  readonly snapshotId: string;
  readonly source: PortalFacts;
  readonly rows: readonly SnapshotRow[];
}

/**
 * Rows with the items' JSON as copied right after the export, because only a portal can read a package. JSON that is
 * unreadable or too long is not copied.
 */
export async function withDocuments(
  { portals, store, snapshots }: ActivityDeps,
  { snapshotId, source, rows }: DocumentedSnapshot,
): Promise<SnapshotRow[]> {
  // A committed snapshot names its files by their hashes, so they must not be written again.
  if (await snapshots.find(snapshotId)) return [...rows];
  const portal = portals.open(source.name);
  const options = { signal: stopSignal() };
  let read = 0;
  return await mapLimited(rows, REQUESTS_AT_A_TIME, async (row) => {
    if (!isPackaged(row) || !holdsReferences(row.type)) return row;
    const text = await documentOf(portal, row.itemId, options);
    progress({ documents: ++read, of: rows.length });
    if (text === undefined) return row;
    const file = await store.openPartial(snapshotKeys.document(snapshotId, row.itemId));
    await file.restart();
    const sizeBytes = await file.append(pieceOf(text));
    await file.commit();
    return { ...row, document: { sizeBytes, sha256: hashOfText(text) } };
  });
}

/** Empty if the item has none; undefined if unreadable. */
async function documentOf(portal: Portal, itemId: string, options: CallOptions): Promise<string | undefined> {
  try {
    return (await readItemText(portal, itemId, { maxBytes: DOCUMENT_BYTES_MAX }, options)) ?? '';
  } catch (thrown) {
    lastError(thrown);
    return undefined;
  }
}

async function* pieceOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
