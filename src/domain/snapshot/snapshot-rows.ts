import type { LiveRow, SnapshotRow } from '../../model/snapshot/snapshot';
import type { JobLists } from '../../model/transfer/job';
import type { RequestedItem } from '../../model/transfer/requested';

/** What a backup knows after its export. */
interface ExportedItems {
  readonly requested: readonly RequestedItem[];
  /** The items as read before the export. */
  readonly live: readonly LiveRow[];
  /** The portal's lists; undefined if it sent none. */
  readonly lists: JobLists | undefined;
  readonly isExported: boolean;
}

/** Rows of a snapshot for the requested items, and how many of them are missing although they can be exported. */
export function snapshotRows({ requested, live, lists, isExported }: ExportedItems): {
  readonly rows: SnapshotRow[];
  readonly failed: number;
} {
  const liveRows = new Map(live.map((row) => [row.itemId, row]));
  const reasons = (name: keyof JobLists) =>
    new Map(lists?.[name].flatMap(({ itemId, reason }) => (itemId ? [[itemId, reason] as const] : [])));
  const [done, skipped, failed] = [reasons('done'), reasons('skipped'), reasons('failed')];

  const savedAs = ({ itemId, skip, doubt }: RequestedItem): Pick<SnapshotRow, 'saved' | 'reason'> => {
    if (done.has(itemId)) return { saved: 'package' };
    if (failed.has(itemId) || skipped.has(itemId))
      return { saved: 'no', reason: failed.get(itemId) ?? skipped.get(itemId) ?? 'the portal skipped it' };
    if (skip) return { saved: 'no', reason: skip };
    // Without lists, the portal is presumed to have exported what was requested.
    if (done.size === 0 && isExported) return { saved: 'presumed' };
    return { saved: 'no', reason: doubt ?? 'the portal did not report that it exported it' };
  };

  const rows = requested.map((item): SnapshotRow => ({
    ...(liveRows.get(item.itemId) ?? bareRow(item)),
    ...savedAs(item),
    package: item.packageIndex,
  }));
  // Items that the portal skips have a type that no export takes.
  const missing = rows.filter(
    ({ itemId, saved }, at) => saved === 'no' && !requested[at]?.skip && !skipped.has(itemId),
  );
  return { rows, failed: missing.length };
}

/** A row for an item that left the group before its layers were read. */
const bareRow = ({ itemId, type, title, size, modified, url, hosted }: RequestedItem): LiveRow => ({
  itemId,
  type,
  title,
  size,
  modified,
  url: hosted ? url : undefined,
  hosted,
});
