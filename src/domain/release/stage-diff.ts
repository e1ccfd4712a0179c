import type { Config } from '../../config/config';
import type { ResolvedPromotion } from '../../config/resolve-pipeline';
import { routeInto } from '../../model/release/promotion-input';
import type { PromotionEntry } from '../../model/release/promotion';
import { joinedFigures, type MappedFigures } from '../../model/release/reference-map';
import type { ReleaseManifest } from '../../model/release/release';
import type { FieldChange } from '../../model/run/run';
import type { SnapshotRow } from '../../model/snapshot/snapshot';
import type { Portal } from '../../portal/client';
import type { Item } from '../../portal/resources/items/item';
import type { Store } from '../../store/store';
import type { Snapshots } from '../snapshot/snapshots';
import { mapLimited } from '../../model/map-limited';
import type { Change } from '../../model/transfer/change';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { Comparison, hostedByBoth, keptBySnapshot } from '../change/comparison';
import { importedAddresses } from '../change/imported-addresses';
import { rowsAsPackaged } from '../change/packaged-rows';
import { isOnePortal } from '../transfer/guards/portal';
import { readOutcomes } from '../transfer/outcomes';
import { factsOf, readPortalFacts } from '../transfer/portal-facts';
import { compareReleases } from './compare-releases';
import { figuresOfMapped, mappableItems } from './mappable-items';
import { draftOfRelease } from '../portal-change/documents';
import { driftSince, listStage } from './stage-listing';

/**
 * `new`: the group of the stage does not hold it. `changed`: it does, and the release holds another one than what stands
 * there, or nobody knows. `same`: what stands there holds the same. `extra`: only the stage's group has it.
 */
export type StageDifference = 'new' | 'changed' | 'same' | 'extra';

export interface StageDiffRow {
  /** As the pipeline names its group. */
  readonly group: string;
  readonly itemId: string;
  readonly type: string;
  readonly title: string;
  readonly difference: StageDifference;
  /** Somebody has changed it on the stage since the last promotion, which the next one overwrites. */
  readonly drifted?: true;
  /** What is inside; only if that is asked for, and the stage holds the item. */
  readonly change?: Change;
}

/** What a release would make of a stage, by listings: nothing is uploaded and nothing written. */
export interface StageDiff {
  readonly pipeline: string;
  readonly stage: string;
  readonly release: string;
  /** What stands there; absent where nothing does. */
  readonly stands?: string;
  readonly rows: readonly StageDiffRow[];
  /** Absent where the stage takes none of the release. */
  readonly settings?: readonly FieldChange[];
  readonly categories?: readonly FieldChange[];
  /** Absent where the stage maps nothing. */
  readonly mapped?: MappedFigures;
}

/** Whether a promotion would change something. */
export const stageDiffers = ({ rows, settings = [], categories = [] }: StageDiff): boolean =>
  rows.some(isWritten) || settings.length > 0 || categories.length > 0;

/** Whether a promotion would change the item. */
const isWritten = ({ difference, drifted, change }: StageDiffRow): boolean =>
  change
    ? change.kind !== 'same'
    : difference === 'new' || difference === 'changed' || (drifted === true && difference === 'same');

/** Where what is compared comes from. */
export interface StageDiffSources {
  readonly config: Config;
  readonly store: Store;
  readonly snapshots: Snapshots;
  /** Of the stage. */
  readonly portal: Portal;
}

interface DiffOfStage {
  readonly stands?: ReleaseManifest;
  readonly entry?: PromotionEntry;
  /** Compare what is inside the items that differ, or may. @default false */
  readonly comparesContent?: boolean;
}

/**
 * Compares a release with a stage. Throws what the portal answers, and what reading releases and snapshots throws.
 * @param stands the release that stands there
 * @param entry the last one of the stage
 */
export async function diffStage(
  sources: StageDiffSources,
  promotion: ResolvedPromotion,
  release: ReleaseManifest,
  { stands, entry, comparesContent = false }: DiffOfStage,
): Promise<StageDiff> {
  const { snapshots, portal } = sources;
  const { stage, map, groups } = promotion;
  const [listing, isSame] = await Promise.all([
    listStage(portal, groups),
    stands ? sameItems(sources, stands, release) : () => false,
  ]);
  const drifted = new Set(driftSince(entry?.listed, listing)?.edited);
  const rows: StageDiffRow[] = [];
  const mapped: MappedFigures[] = [];
  for (const { name, snapshotId } of groups) {
    const held = (await snapshots.rowsOf(await snapshots.read(snapshotId))).filter(
      ({ saved }) => saved !== 'no',
    );
    const listed = rowsOfGroup(name, held, listing.get(name) ?? [], { isSame, drifted });
    const own = comparesContent
      ? await withContents(sources, promotion, name, listed, listing.get(name) ?? [])
      : listed;
    rows.push(...own);
    if (map)
      mapped.push(figuresOfMapped(own.filter(isWritten), await mappableItems(sources, snapshotId, map)));
  }
  const at = { portal, releases: snapshots.releases };
  const settings = promotion.settings ? await draftOfRelease('settings', at, release.id) : undefined;
  const categories = promotion.categories
    ? await draftOfRelease('category-schema', at, release.id)
    : undefined;
  return {
    pipeline: release.pipeline,
    stage,
    release: release.id,
    stands: stands?.id,
    rows,
    ...(settings && { settings: settings.changes }),
    ...(categories && { categories: categories.changes }),
    ...(map && { mapped: joinedFigures(mapped) }),
  };
}

/** The rows of a group with what is inside: an identical item does not differ. */
async function withContents(
  { snapshots, portal, store }: StageDiffSources,
  { route, groups, map }: ResolvedPromotion,
  name: string,
  rows: readonly StageDiffRow[],
  listed: readonly Item[],
): Promise<StageDiffRow[]> {
  const group = groups.find((each) => each.name === name);
  if (!group) return [...rows];
  const manifest = await snapshots.read(group.snapshotId);
  const [source, target] = [factsOf(manifest.source), await readPortalFacts(portal)];
  const urls = new Map((await snapshots.rowsOf(manifest)).map(({ itemId, url }) => [itemId, url]));
  const services = hostedByBoth(urls, listed);
  const isOne = isOnePortal(source, target);
  const { known } = await readOutcomes(store, routeInto(route, group));
  const comparison = new Comparison(portal, {
    target,
    groupId: group.groupId,
    coming: await keptBySnapshot(snapshots, group.snapshotId),
    addresses: importedAddresses({ source, target, sourceAddresses: [], services }),
    map,
    isOnePortal: isOne,
    rows: isOne ? undefined : await rowsAsPackaged(snapshots, group.snapshotId, known),
  });
  const held = new Map(listed.map((item) => [item.id, item]));
  return await mapLimited(rows, REQUESTS_AT_A_TIME, async (row) => {
    const item = held.get(row.itemId);
    if (!item || !isWritten(row)) return row;
    const { itemId, type } = row;
    const change = await comparison.changeOf({ itemId, type, held: item, inGroup: true });
    return { ...row, change, difference: change.kind === 'same' ? 'same' : 'changed' };
  });
}

/** Whether an item of a group is the same in both releases. */
type IsSame = (group: string, itemId: string) => boolean;

async function sameItems(
  { config, snapshots }: StageDiffSources,
  before: ReleaseManifest,
  after: ReleaseManifest,
): Promise<IsSame> {
  const { groups } = await compareReleases(config, snapshots, before, after);
  const same = new Map(
    groups.map(({ name, items = [] }) => [
      name,
      new Set(items.filter(({ difference }) => difference === 'same').map(({ itemId }) => itemId)),
    ]),
  );
  const whole = new Set(groups.filter(({ difference }) => difference === 'same').map(({ name }) => name));
  return (group, itemId) => whole.has(group) || same.get(group)?.has(itemId) === true;
}

function rowsOfGroup(
  group: string,
  held: readonly SnapshotRow[],
  listed: readonly Item[],
  { isSame, drifted }: { readonly isSame: IsSame; readonly drifted: ReadonlySet<string> },
): StageDiffRow[] {
  const heldIds = new Set(held.map(({ itemId }) => itemId));
  const listedIds = new Set(listed.map(({ id }) => id));
  const rowOf = (
    item: Pick<StageDiffRow, 'itemId' | 'type' | 'title'>,
    difference: StageDifference,
  ): StageDiffRow => ({ group, ...item, difference, ...(drifted.has(item.itemId) && { drifted: true }) });
  return [
    ...held.map(({ itemId, type, title }) => {
      const known = isSame(group, itemId) ? 'same' : 'changed';
      return rowOf({ itemId, type, title }, listedIds.has(itemId) ? known : 'new');
    }),
    ...listed
      .filter(({ id }) => !heldIds.has(id))
      .map(({ id, type = '?', title = id }) => rowOf({ itemId: id, type, title }, 'extra')),
  ];
}
