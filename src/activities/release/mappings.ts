import { notAuthentic } from '../../domain/control/control';
import type { PortalFacts, RunOnPlan } from '../../domain/transfer/portal-facts';
import { mapTexts, type ItemTexts, ReferenceMapper } from '../../domain/transfer/references/map';
import { joinVerifications, FindingsBuilder } from '../../domain/transfer/verify/verification';
import { WARNINGS_MAX } from '../../model/run/run-state';
import { createdItems, type Plan, type PlanRow } from '../../model/transfer/plan';
import type { Verification } from '../../model/transfer/verification';
import type { Portal } from '../../portal/client';
import type { FileSource } from '../../portal/http/request';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { findItem, readItemText } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import { keysUnder } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { eachItem, type ItemEnd, summaryOf } from '../attempt/each-item';
import { isRepeat, lastError } from '../attempt/heartbeat';
import { openWrite } from '../transfer/open-write';
import {
  importedRows,
  isAsMoved,
  readImported,
  readMoved,
  readPlanFile,
} from '../transfer/plan/stored-lists';
import type { Authority } from '../../domain/control/authority';
import { hashOfJson } from '../../domain/snapshot/hashing';
import { referenceMap, type ReferenceMap } from '../../model/release/reference-map';
import { isDeepStrictEqual } from 'node:util';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { isHostedService, holdsReferences } from '../../domain/transfer/classify-item';
import { DOCUMENT_BYTES_MAX } from '../../domain/transfer/references/content';
import type { Item } from '../../portal/resources/items/item';
import { restoreItemCopy } from '../../portal/resources/items/restore-item';

/** Counts of what was mapped. */
interface Mapped {
  readonly items: number;
  readonly places: number;
  /** Items that differ from the mapping: findings of the verification. */
  readonly left: number;
}

/** Items that the approved plan keeps or blocks keep their JSON too. */
interface PutDocumentsBack extends RunOnPlan {
  /** The run to roll back. */
  readonly of: string;
  /** The run has already imported or restored, so it needs no open window. */
  readonly hasBegun: boolean;
}

/** Items that differ from before, one line each, the first of them. */
interface DocumentsPutBack {
  readonly done: number;
  /** Changed by someone since, so left unchanged. */
  readonly edited: readonly string[];
  readonly failed: readonly string[];
  readonly notDone: number;
}

/** What was mapped in one item; `modified` if the run recorded it as its own. */
interface MappedItem {
  readonly places: number;
  readonly modified?: number | null;
  /** How it differs from the mapping, for people. */
  readonly hints?: readonly string[];
}

/** `edited`: changed by someone since, so left unchanged. */
interface DocumentEnd extends ItemEnd {
  readonly edited?: string;
}

interface MappingOf extends RunOnPlan {
  readonly portal: Portal;
  readonly mapper: ReferenceMapper;
}

interface ImportedItem {
  readonly itemId: string;
  readonly title?: string;
}

/** Saves the JSON of items a plan overwrites, for a rollback. */
export async function keepDocuments(
  { portals, store }: ActivityDeps,
  { runId, target, planRef }: RunOnPlan,
): Promise<void> {
  const portal = portals.open(target.name);
  const moved = await readMoved(store, runId);
  const rows = importedRows(await readPlanFile(store, planRef)).filter(
    // Except what an earlier import of the run wrote.
    (row) => row.action === 'overwrite' && !isAsMoved(moved, row),
  );
  const keepOne = async ({ itemId }: PlanRow): Promise<void> => {
    const item = await findItem(portal, itemId);
    if (item && mayBeMapped(item))
      await store.writeJson(keys.documentBefore(runId, itemId), await textsOf(portal, item));
  };
  // Only needed if the safeguard does not restore the item.
  await eachItem(rows, keepOne, () => undefined, REQUESTS_AT_A_TIME);
}

/**
 * Maps imported items one by one and reads each back. Saves their previous JSON first. Safe to repeat. A difference
 * becomes a finding.
 * @throws PortolanError NOT_AUTHENTIC if the plan was made with another map than the run's
 */
export async function mapImported(deps: ActivityDeps, run: RunOnPlan): Promise<Mapped> {
  const { store } = deps;
  const { runId } = run;
  // Part of an import that was already allowed to start.
  const { plan, portal } = await openWrite(deps, run, { hasBegun: true });
  const mapper = await mapperOf(deps, runId, plan);
  const at: MappingOf = { ...run, portal, mapper };
  const imported = await readImported(store, runId);
  const created = await store.readJson(keys.created(runId), createdItems);
  const modifiedNow = new Map<string, number | null>();
  const mapOne = async (item: ImportedItem): Promise<MappedItem> => {
    const end = await mapItem(deps, at, item, created?.items[item.itemId]?.modified);
    if (end.modified !== undefined) modifiedNow.set(item.itemId, end.modified);
    return end;
  };
  const mapped = await eachItem<ImportedItem, MappedItem>(
    imported,
    mapOne,
    (_item, words) => ({ places: 0, hints: [`It could not be mapped: ${words}`] }),
    REQUESTS_AT_A_TIME,
  ).finally(async () => {
    // So that a rollback recognizes the items.
    for (const [itemId, modified] of modifiedNow) {
      const known = created?.items[itemId];
      if (created && known) created.items[itemId] = { ...known, modified };
    }
    if (created && modifiedNow.size > 0) await store.writeJson(keys.created(runId), created);
  });
  const found = imported.flatMap((item, index) => {
    const { hints = [] } = mapped[index] ?? {};
    return hints.length > 0 ? findingsOf(item, hints) : [];
  });
  await store.writeJson(keys.verifiedMapping(runId), joinVerifications(found));
  const changed = mapped.filter(({ places }) => places > 0);
  return {
    items: changed.length,
    places: changed.reduce((sum, { places }) => sum + places, 0),
    left: found.length,
  };
}

/**
 * After a safeguard was restored: restores the JSON of overwritten items that still have the run's mapping. Items that
 * someone has changed since stay.
 */
export async function putDocumentsBack(
  deps: ActivityDeps,
  input: PutDocumentsBack,
): Promise<DocumentsPutBack> {
  const { store } = deps;
  const { of, target } = input;
  const hasBegun = input.hasBegun || isRepeat();
  const { plan, portal } = await openWrite(deps, input, { undoes: of, hasBegun });
  const kept = new Set(
    plan.rows.flatMap(({ action, itemId }) => (action === 'keep' || action === 'blocked' ? itemId : [])),
  );
  const map = await mapThatWas(deps, of);
  const itemIds = (await keysUnder(store, keys.documents(of)))
    .flatMap((key) => keys.itemOfImported(key) ?? [])
    .filter((itemId) => !kept.has(itemId));
  const putOne = async (itemId: string): Promise<DocumentEnd> => {
    const imported = await store.readJson(keys.documentImported(of, itemId), importedTexts);
    const before = await store.readJson(keys.documentBefore(of, itemId), keptTexts);
    const now = imported && before && (await findItem(portal, itemId));
    if (!now) return {};
    const texts = await textsOf(portal, now);
    if (sameTexts(texts, before)) return {};
    const written = map ? [imported, mapTexts(imported, map)] : [imported];
    if (!written.some((each) => sameTexts(texts, each)))
      return {
        edited: `${itemId} "${now.title}": its JSON has changed since ${of}; Portolan leaves it unchanged`,
      };
    await writeTexts(portal, target, now, before);
    const after = await findItem(portal, itemId);
    if (!after || !sameTexts(await textsOf(portal, after), before))
      throw new Error(`${target.name} shows a different one`);
    return { isDone: true };
  };
  const ends = await eachItem<string, DocumentEnd>(itemIds, putOne, (itemId, words) => ({
    line: `${itemId}: its JSON could not be restored: ${words}`,
  }));
  const { done, differing: failed, notDone } = summaryOf(ends);
  const edited = ends.flatMap((end) => end.edited ?? []).slice(0, WARNINGS_MAX);
  return { done, edited, failed, notDone };
}

/** The items to map must be those of the approved plan. */
async function mapperOf(
  { authority }: ActivityDeps,
  runId: string,
  { hash, mapped }: Plan,
): Promise<ReferenceMapper> {
  const signed = await mapOfRun(authority, runId);
  if (!signed || mapped?.map !== hashOfMap(signed.map))
    throw notAuthentic(`the items to map are not those of plan ${hash}`);
  return new ReferenceMapper(signed.map);
}

/** The map signed at the start of a run that has ended; undefined if no longer readable. */
async function mapThatWas({ authority }: ActivityDeps, runId: string): Promise<ReferenceMapper | undefined> {
  const found = await mapOfRun({ requireOpen: (id) => authority.startOf(id) }, runId).catch(
    (thrown: unknown) => void lastError(thrown),
  );
  return found && new ReferenceMapper(found.map);
}

/** The findings about an item that does not have what the map gives it. */
function findingsOf({ itemId, title }: ImportedItem, hints: readonly string[]): Verification {
  const findings = new FindingsBuilder(itemId, title);
  for (const hint of hints) findings.find('not-mapped', { path: 'data', hint });
  return { ...findings.end(), checked: 0 };
}

/** @param left when a created item was last modified, as the run recorded */
async function mapItem(
  { store }: ActivityDeps,
  { runId, planRef, target, portal, mapper }: MappingOf,
  { itemId }: ImportedItem,
  left: number | null | undefined,
): Promise<MappedItem> {
  const now = await findItem(portal, itemId);
  if (!now || !mayBeMapped(now)) return { places: 0 };
  const present = await textsOf(portal, now);
  const key = keys.documentImported(runId, itemId);
  const noted = await store.readJson(key, importedTexts);
  const kept = noted?.planRef === planRef ? noted : undefined;
  const before = kept ?? { ...present, planRef, asLeft: left !== undefined && left === now.modified };
  const mapped = mapTexts(before, mapper);
  const { places, why } = mapped;
  const hints = why === undefined ? [] : [`Its data was not checked: ${why}.`];
  if (places === 0) return { places, hints };
  if (!kept) await store.writeJson(key, before);
  if (!sameTexts(present, mapped)) {
    if (!sameTexts(present, before))
      return { places: 0, hints: [...hints, 'It has changed since the import. Check it.'] };
    const { url, data } = mapped;
    const changed = { url, data: data === present.data ? undefined : data };
    await writeTexts(portal, target, now, changed);
  }
  const after = await findItem(portal, itemId);
  const isMapped = after !== undefined && sameTexts(await textsOf(portal, after), mapped);
  const modified = before.asLeft && after ? (after.modified ?? null) : undefined;
  if (isMapped) return { places, modified, hints };
  return { places: 0, modified, hints: [...hints, `${target.name} does not show what was written.`] };
}

/** An item's JSON and URL, as a run saves them. */
const keptTexts = z.object({ data: z.string().optional(), url: z.string().optional() });

/** As they were immediately after an import. */
const importedTexts = keptTexts.extend({
  /** The plan that imported it, which distinguishes the imports of a run. */
  planRef: z.string(),
  /** The item was as the import left it. */
  asLeft: z.boolean(),
});

/** Whether items of this type may contain anything to map. */
const mayBeMapped = ({ type, url }: Pick<Item, 'type' | 'url'>): boolean =>
  holdsReferences(type ?? '') || Boolean(url);

/** Without the URL of a hosted service, which only its portal decides. */
async function textsOf(portal: Portal, item: Item): Promise<ItemTexts> {
  const data = holdsReferences(item.type ?? '')
    ? await readItemText(portal, item.id, { maxBytes: DOCUMENT_BYTES_MAX })
    : undefined;
  return { data, url: item.url && !isHostedService(item) ? item.url : undefined };
}

/** Sets the JSON and URL of an existing item, and nothing else. Safe to repeat. */
async function writeTexts(
  portal: Portal,
  { username = '' }: PortalFacts,
  now: Item,
  { data, url }: ItemTexts,
): Promise<void> {
  const record = { ...now, url: url ?? now.url };
  const copy = {
    record,
    data: data === undefined ? undefined : sourceOf(data),
    owner: now.owner ?? username,
  };
  await restoreItemCopy(portal, copy);
}

function sourceOf(text: string): FileSource {
  const bytes = Buffer.from(text);
  return { size: bytes.length, open: (start, end) => Readable.from([bytes.subarray(start, end)]) };
}

/** Whether two items have equal content: a portal may format JSON in its own way. */
const sameTexts = (one: ItemTexts, other: ItemTexts): boolean =>
  one.url === other.url && (one.data === other.data || sameJson(one.data, other.data));

function sameJson(one = '', other = ''): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return one.trim() === other.trim();
  }
}

const signedMap = z.object({ map: referenceMap.optional(), snapshotId: z.string() });

/** The map of a run, and the snapshot it restores. */
export interface MapOfRun {
  readonly map: ReferenceMap;
  readonly snapshotId: string;
}

/**
 * The map signed at a run's start, whatever its workflow says. Throws NOT_AUTHENTIC if the run was not accepted or has
 * ended.
 */
export async function mapOfRun(
  authority: Pick<Authority, 'requireOpen'>,
  runId: string,
): Promise<MapOfRun | undefined> {
  const { map, snapshotId } = signedMap.parse((await authority.requireOpen(runId)).input);
  return map && { map, snapshotId };
}

/** The hash does not depend on the order of rows. */
export const hashOfMap = ({ urls, items }: ReferenceMap): string =>
  hashOfJson([urls, items].map((rows) => Object.entries(rows).sort(([one], [two]) => (one < two ? -1 : 1))));
