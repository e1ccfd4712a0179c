import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { hashOfText } from '../snapshot/hashing';
import { snapshotKeys } from '../../store/keys';
import type { Snapshots } from '../snapshot/snapshots';
import { holdsReferences } from '../transfer/classify-item';
import { DOCUMENT_BYTES_MAX } from '../transfer/references/content';
import { mapTexts, ReferenceMapper } from '../transfer/references/map';
import { shown } from '../transfer/verify/verification';
import { PortolanError } from '../../model/errors/errors';
import {
  EXAMPLES_MAX,
  type MappedExample,
  mappedExample,
  type MappedFigures,
  type ReferenceMap,
} from '../../model/release/reference-map';
import { mapLimited } from '../../model/map-limited';
import type { SnapshotRow } from '../../model/snapshot/snapshot';
import type { PlanRow } from '../../model/transfer/plan';
import { shortened } from '../../model/text/plain-text';
import type { Store } from '../../store/store';

/** What a map changes in an item of a snapshot; null where the snapshot has no copy of its JSON. */
export const mappable = z.record(
  z.string(),
  z.object({ places: z.number(), examples: z.array(mappedExample) }).nullable(),
);
type Mappable = z.infer<typeof mappable>;

/** Documents are read and mapped so many at a time. */
const AT_A_TIME = 4;

/**
 * What a map changes in the items of a snapshot, by the copies of their JSON. What an import rewrites itself it has not
 * rewritten there yet.
 * @param onRead is told how many of them are read
 */
export async function mappableItems(
  { store, snapshots }: { readonly store: Store; readonly snapshots: Snapshots },
  snapshotId: string,
  map: ReferenceMap,
  onRead?: (read: { readonly documents: number; readonly of: number }) => void,
): Promise<Mappable> {
  const mapper = new ReferenceMapper(map);
  const rows = (await snapshots.rowsOf(await snapshots.read(snapshotId))).filter(
    ({ type, saved }) => saved !== 'no' && holdsReferences(type),
  );
  let read = 0;
  const found = await mapLimited(rows, AT_A_TIME, async (row) => {
    const data = await documentOf(store, snapshotId, row);
    onRead?.({ documents: ++read, of: rows.length });
    if (data === undefined) return [row.itemId, null] as const;
    const { places, examples } = mapTexts({ data }, mapper);
    return [row.itemId, { places, examples: examples.map((each) => exampleOf(row, each)) }] as const;
  });
  return Object.fromEntries(found);
}

/** As records show it: addresses in items may carry a secret. */
const exampleOf = (
  { itemId, title }: SnapshotRow,
  { path, before, after }: Pick<MappedExample, 'path' | 'before' | 'after'>,
): MappedExample => ({
  itemId,
  title: shortened(title),
  path: shortened(path),
  before: shown(before),
  after: shown(after),
});

/** Throws SNAPSHOT_ALTERED where the copy is not what the snapshot says. */
async function documentOf(store: Store, id: string, row: SnapshotRow): Promise<string | undefined> {
  if (!row.document || row.document.sizeBytes > DOCUMENT_BYTES_MAX) return undefined;
  const key = snapshotKeys.document(id, row.itemId);
  const file = await store.openFile(key);
  const text =
    file?.size === row.document.sizeBytes
      ? (await buffer(file.open(0, file.size))).toString('utf8')
      : undefined;
  if (text !== undefined && hashOfText(text) === row.document.sha256) return text;
  throw new PortolanError('SNAPSHOT_ALTERED', `${key} in ${store.where} was modified`);
}

/** What of it a plan does, by the rows that it creates or overwrites. */
export function figuresOfMapped(
  rows: readonly Pick<PlanRow, 'itemId' | 'type'>[],
  items: Mappable,
): MappedFigures {
  const known = rows.flatMap(({ itemId }) => items[itemId] ?? []).filter(({ places }) => places > 0);
  return {
    items: known.length,
    places: known.reduce((sum, { places }) => sum + places, 0),
    unknown: rows.filter(
      ({ itemId, type }) => items[itemId] === null || (!(itemId in items) && holdsReferences(type)),
    ).length,
    examples: known
      .flatMap(({ examples }) => examples.slice(0, 1))
      .concat(known.flatMap(({ examples }) => examples.slice(1)))
      .slice(0, EXAMPLES_MAX),
  };
}
