import type { SnapshotLayer } from '../../model/snapshot/snapshot';
import type { Outcomes, Settled } from '../../model/transfer/outcomes';
import type { RequestedItem, SettledItem } from '../../model/transfer/requested';
import type { Route } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { hashOfJson } from '../snapshot/hashing';
import { holdsReferences } from './item-types';
import type { PortalFacts } from './portal-facts';
import { serviceKey } from './references/service-url';

/** Another number is another way of telling what has changed: what was noted by an earlier one counts for nothing. */
const FORM = 1;

const markOf = (facts: readonly unknown[]): string => hashOfJson(facts).slice(0, 32);

/** Some portals write 0 or -1 for a time that they do not know. */
const isTime = (ms: number | undefined): ms is number => ms !== undefined && ms > 0;

/**
 * What tells an item's record from another of the same item, as a listing shows it; undefined where it does not say
 * when it was changed. Where it lies and who sees it is left out: an import leaves both as they are.
 */
export function recordMark(item: Item): string | undefined {
  const { type, title, name, typeKeywords, url, owner, created, modified, size = -1 } = item;
  if (!isTime(modified)) return undefined;
  return markOf([type, title, name, typeKeywords, url, owner, created, modified, Math.max(size, -1)]);
}

/**
 * The same of the layers of a hosted service; undefined where one of them does not tell all that could have changed.
 * What comes from the source is counted besides: a program that loads rows at night may leave no time of its edits.
 */
export function layersMark(
  layers: readonly SnapshotLayer[] | undefined,
  { counted }: { readonly counted: boolean },
): string | undefined {
  if (!layers?.length) return undefined;
  const facts = layers.map(({ layerId, name, count, lastEditDate, schema }) =>
    isTime(lastEditDate) && (!counted || count !== undefined) && schema !== undefined
      ? [layerId, name, counted ? count : null, lastEditDate, schema]
      : undefined,
  );
  return facts.includes(undefined) ? undefined : markOf(facts);
}

/** The access, folder and protection of an item, as a listing shows them: findings may be about these. */
export const standingMark = ({ access, ownerFolder, protected: isProtected }: Item): string =>
  markOf([access ?? null, ownerFolder ?? null, isProtected ?? null]);

/** What has to be the same as when an item was settled for it to be so still, besides the item. */
export function settlingTerms({ options, target }: Route, from: PortalFacts, to: PortalFacts): string {
  const { overwrite, data, take } = options;
  const ends = [from, to].map(({ portalId, url, version }) => [portalId, url, version]);
  const into = [target.groupId, target.folderId ?? null, target.folderOwner ?? null];
  return markOf([FORM, overwrite, data, [...take].sort(), into, ends, to.username ?? null]);
}

/** Why an item stays where it is, in words for people. */
export const formatUnchangedSince = (runId: string): string => `unchanged since ${runId}`;

/** Layers of hosted services, by item id; undefined where they could not all be read. */
export type LayersById = ReadonlyMap<string, readonly SnapshotLayer[] | undefined>;

/** The items of a run, what is noted of them, and what the target group lists of them. */
export interface Noted {
  readonly requested: readonly RequestedItem[];
  /** What is noted of the route's items. */
  readonly known: Outcomes;
  readonly terms: string;
  readonly onTarget: ReadonlyMap<string, Item>;
}

/** The same with the layers of hosted services on both sides: of the target those that `servicesToCompare` names. */
export interface BothSides extends Noted {
  readonly sourceLayers: LayersById;
  readonly targetLayers: LayersById;
}

/** Hosted services of the target whose records say nothing of a change, so that only their layers can. */
export const servicesToCompare = ({ requested, known, terms, onTarget }: Noted): Item[] =>
  requested.flatMap(({ itemId }) => {
    const { settled } = known[itemId] ?? {};
    const held = onTarget.get(itemId);
    if (!held || settled?.terms !== terms || settled.target?.layers === undefined) return [];
    return recordMark(held) === settled.target.record ? held : [];
  });

/** What a comparison of both sides with what is noted came to, by item id. */
export interface Untouched {
  readonly same: ReadonlyMap<string, SettledItem>;
  /** Changed on the target alone: the run since which. */
  readonly drifted: ReadonlyMap<string, string>;
}

/** What the source shows of an item, as one mark; undefined where that does not tell whether it was changed. */
export function sourceMark({ itemId, mark, hosted }: RequestedItem, layers: LayersById): string | undefined {
  if (mark === undefined || !hosted) return mark;
  const ofLayers = layersMark(layers.get(itemId), { counted: true });
  return ofLayers && markOf([mark, ofLayers]);
}

/**
 * Which of the requested items neither side has touched since a run has settled them. What cannot be known is touched;
 * so is what an import would only get right together with something that was.
 */
export function untouched(sides: BothSides): Untouched {
  const { requested, known, terms, onTarget, sourceLayers, targetLayers } = sides;
  const same = new Map<string, SettledItem>();
  const drifted = new Map<string, string>();
  for (const item of requested) {
    const { itemId, skip } = item;
    const { runId, settled } = known[itemId] ?? {};
    if (runId === undefined || skip !== undefined || settled?.terms !== terms) continue;
    if (settled.source !== sourceMark(item, sourceLayers)) continue;
    const held = onTarget.get(itemId);
    const { as, reason, target, findings } = settled;
    const hasFindings = findings !== undefined || undefined;
    if (isStill(settled, held, targetLayers))
      same.set(itemId, { runId, as, reason, onTarget: target?.record, hasFindings });
    else if (as === 'imported' && held) drifted.set(itemId, runId);
  }
  for (const itemId of goingAlong(sides, same)) same.delete(itemId);
  return { same, drifted };
}

function isStill({ as, target }: Settled, held: Item | undefined, layers: LayersById): boolean {
  // The portal left it out of an export: what the target has under its id is nothing of ours.
  if (as === 'skipped') return held === undefined;
  if (!held || !target || recordMark(held) !== target.record) return false;
  if (target.stands !== undefined && target.stands !== standingMark(held)) return false;
  return target.layers === undefined || target.layers === layersMark(layers.get(held.id), { counted: false });
}

/**
 * Untouched items that have to go with others. A service that is served under another name on the target is in the same
 * package as what may refer to it, since an import learns its address there from the package alone; and one that is made
 * anew may get another name, so that what may refer to it goes with it. An item with findings may lack what is new on the
 * target, so that it goes with that and is looked at again.
 */
function goingAlong(
  { requested, known, onTarget }: BothSides,
  same: ReadonlyMap<string, SettledItem>,
): string[] {
  const stays = requested.filter(({ itemId }) => same.has(itemId));
  const goes = requested.filter(({ itemId, skip }) => skip === undefined && !same.has(itemId));
  const isMadeAnew = ({ itemId, hosted }: RequestedItem): boolean =>
    hosted === true && known[itemId]?.imported !== undefined && !onTarget.has(itemId);
  const refers = ({ type }: RequestedItem): boolean => holdsReferences(type);
  const along = goes.some(isMadeAnew) ? stays.filter(refers) : [];
  const isRenamed = ({ itemId, url, hosted }: RequestedItem): boolean =>
    hosted === true && serviceKey(url ?? '') !== serviceKey(onTarget.get(itemId)?.url ?? '');
  if (goes.some(({ itemId }) => !onTarget.has(itemId)))
    along.push(...stays.filter(({ itemId }) => same.get(itemId)?.hasFindings));
  if (along.length > 0 || goes.some(refers)) along.push(...stays.filter(isRenamed));
  return along.map(({ itemId }) => itemId);
}
