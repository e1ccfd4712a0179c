import { z } from 'zod';
import { contentOf } from '../snapshot/contents';
import type { Snapshots } from '../snapshot/snapshots';
import { holdsReferences } from '../transfer/classify-item';
import { mapTexts, ReferenceMapper } from '../transfer/references/map';
import { shown } from '../transfer/verify/verification';
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

/** What a map changes in an item of a snapshot; null where the snapshot has not kept its JSON. */
export const mappable = z.record(
  z.string(),
  z.object({ places: z.number(), examples: z.array(mappedExample) }).nullable(),
);
type Mappable = z.infer<typeof mappable>;

/** Documents are read and mapped so many at a time. */
const AT_A_TIME = 4;

/**
 * What a map changes in the items of a snapshot, by their JSON as it was kept. What an import rewrites itself it has not
 * rewritten there yet.
 * @param onRead is told how many of them are read
 */
export async function mappableItems(
  { snapshots }: { readonly snapshots: Snapshots },
  snapshotId: string,
  map: ReferenceMap,
  onRead?: (read: { readonly documents: number; readonly of: number }) => void,
): Promise<Mappable> {
  const mapper = new ReferenceMapper(map);
  const manifest = await snapshots.read(snapshotId);
  const rows = (await snapshots.rowsOf(manifest)).filter(
    ({ type, saved }) => saved !== 'no' && holdsReferences(type),
  );
  let read = 0;
  const found = await mapLimited(rows, AT_A_TIME, async (row) => {
    const content = await contentOf(snapshots, manifest, row);
    onRead?.({ documents: ++read, of: rows.length });
    if (!content || (content.data === undefined && content.unread !== undefined))
      return [row.itemId, null] as const;
    const { places, examples } = mapTexts({ data: JSON.stringify(content.data) }, mapper);
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
