import type { Config } from '../../config/config';
import type { ResolvedPromotion } from '../../config/resolve-pipeline';
import type { PromotionEntry } from '../../model/release/promotion';
import { joinedFigures, type MappedFigures } from '../../model/release/reference-map';
import type { ReleaseManifest } from '../../model/release/release';
import type { FieldChange } from '../../model/run/run';
import type { Portal } from '../../portal/client';
import type { Store } from '../../store/store';
import type { Snapshots } from '../snapshot/snapshots';
import { compareReleases } from './compare-releases';
import { figuresOfMapped, mappableItems } from './mappable-items';
import { draftOfRelease } from './portal-documents';
import { driftSince, listStage, type StageListing } from './stage-listing';

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
  rows.some(
    ({ difference, drifted = false }) =>
      difference === 'new' || difference === 'changed' || (drifted && difference === 'same'),
  ) ||
  settings.length > 0 ||
  categories.length > 0;

/** Where what is compared comes from. */
export interface StageDiffSources {
  readonly config: Config;
  readonly store: Store;
  readonly snapshots: Snapshots;
  /** Of the stage. */
  readonly portal: Portal;
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
  { stands, entry }: { readonly stands?: ReleaseManifest; readonly entry?: PromotionEntry },
): Promise<StageDiff> {
  const { snapshots, portal } = sources;
  const { stage, map, groups } = promotion;
  const [listing, same] = await Promise.all([
    listStage(portal, groups),
    stands ? sameItems(sources, stands, release) : new Map<string, IsSame>(),
  ]);
  const drifted = new Set(driftSince(entry?.listed, listing)?.edited);
  const rows: StageDiffRow[] = [];
  const mapped: MappedFigures[] = [];
  for (const { name, snapshotId } of groups) {
    const own = await rowsOfGroup(snapshots, { name, snapshotId }, { listing, same, drifted });
    rows.push(...own);
    if (!map) continue;
    const written = own.filter(({ difference }) => difference !== 'extra');
    mapped.push(figuresOfMapped(written, await mappableItems(sources, snapshotId, map)));
  }
  const at = { portal, releases: snapshots.releases };
  const settings = promotion.settings ? await draftOfRelease('settings', at, release.id) : undefined;
  const categories = promotion.categories
    ? await draftOfRelease('category-schema', at, release.id)
    : undefined;
  return {
    ...{ pipeline: release.pipeline, stage, release: release.id, stands: stands?.id, rows },
    ...(settings && { settings: settings.changes }),
    ...(categories && { categories: categories.changes }),
    ...(map && { mapped: joinedFigures(mapped) }),
  };
}

/** Ids of items that two releases hold the same, by their groups. */
async function sameItems(
  { config, snapshots }: StageDiffSources,
  before: ReleaseManifest,
  after: ReleaseManifest,
): Promise<Map<string, IsSame>> {
  const { groups } = await compareReleases(config, snapshots, before, after);
  return new Map(
    groups.map(({ name, difference, items = [] }) => {
      const same = new Set(items.filter((item) => item.difference === 'same').map(({ itemId }) => itemId));
      return [name, (itemId: string) => difference === 'same' || same.has(itemId)];
    }),
  );
}

/** Whether an item of a group is the same in both releases. */
type IsSame = (itemId: string) => boolean;

async function rowsOfGroup(
  snapshots: Snapshots,
  { name, snapshotId }: { readonly name: string; readonly snapshotId: string },
  {
    listing,
    same,
    drifted,
  }: {
    readonly listing: StageListing;
    readonly same: ReadonlyMap<string, IsSame>;
    readonly drifted: ReadonlySet<string>;
  },
): Promise<StageDiffRow[]> {
  const held = (await snapshots.rowsOf(await snapshots.read(snapshotId))).filter(
    ({ saved }) => saved !== 'no',
  );
  const there = new Set(listing.get(name)?.map(({ id }) => id));
  const ids = new Set(held.map(({ itemId }) => itemId));
  const isDrifted = (itemId: string) => drifted.has(itemId) && ({ drifted: true } as const);
  const differenceOf = (itemId: string): StageDifference => {
    if (!there.has(itemId)) return 'new';
    return same.get(name)?.(itemId) ? 'same' : 'changed';
  };
  return [
    ...held.map(({ itemId, type, title }) => ({
      ...{ group: name, itemId, type, title, difference: differenceOf(itemId) },
      ...isDrifted(itemId),
    })),
    ...(listing.get(name) ?? [])
      .filter(({ id }) => !ids.has(id))
      .map(({ id, type = '?', title = id }) => ({
        ...{ group: name, itemId: id, type, title, difference: 'extra' as const },
        ...isDrifted(id),
      })),
  ];
}
