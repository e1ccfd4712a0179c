import { z } from 'zod';
import { notAuthentic } from '../../domain/control/control';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { mapTexts } from '../../domain/transfer/references/map-document';
import { ReferenceMapper } from '../../domain/transfer/references/reference-mapper';
import { joinVerifications, Sheet } from '../../domain/transfer/verify/verification';
import { mapLimited } from '../../model/map-limited';
import { WARNINGS_MAX } from '../../model/run/warnings';
import { createdItems } from '../../model/transfer/created-items';
import { ledger } from '../../model/transfer/ledger';
import type { Plan } from '../../model/transfer/plan';
import { planIdentity } from '../../model/transfer/plan-hash';
import type { Route } from '../../model/transfer/route';
import type { Verification } from '../../model/transfer/verification';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { isRepeat, lastError, progress, stopSignal } from '../attempt/heartbeat';
import { importedRows, readPlanFile, requireOwnPlan } from '../transfer/plan/stored-lists';
import { importedTexts, keptTexts, mayBeMapped, sameTexts, textsOf, writeTexts } from './documents-of-run';
import { hashOfMap, mapOfRun } from './map-of-run';

interface ItemsOfPlan {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly planRef: string;
}

/** Counts of what was mapped. */
interface Mapped {
  readonly items: number;
  readonly places: number;
  /** Items that differ from the mapping: findings of the verification. */
  readonly left: number;
}

interface PutDocumentsBack {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  /** The run to roll back. */
  readonly of: string;
  /** The approved plan: items it keeps or blocks keep their JSON too. */
  readonly planRef: string;
  /** The run has already imported or restored, so it needs no open window. @default false */
  readonly hasBegun?: boolean;
}

/** Items that differ from before, one line each, the first of them. */
export interface DocumentsPutBack {
  readonly done: number;
  /** Changed by someone since, so left unchanged. */
  readonly edited: readonly string[];
  readonly failed: readonly string[];
  readonly notDone: number;
}

/** What was mapped in one item; `modified` if the run recorded it as its own. */
interface MappedItem {
  readonly itemId: string;
  readonly places: number;
  readonly modified?: number | null;
  readonly found?: Verification;
}
interface MappingOf {
  readonly runId: string;
  readonly planRef: string;
  readonly portal: Portal;
  readonly target: PortalFacts;
  readonly mapper: ReferenceMapper;
}

interface ImportedItem {
  readonly itemId: string;
  readonly title?: string;
  /** Of a created item: when it was last modified, as the run recorded. */
  readonly left?: number | null;
}

/** Saves the JSON of items a plan overwrites, for a rollback. */
export async function keepDocuments(
  { portals, store }: ActivityDeps,
  { runId, target, planRef }: ItemsOfPlan,
): Promise<void> {
  const portal = portals.open(target.name);
  const options = { signal: stopSignal() };
  const moved = new Set((await store.readJson(keys.movedBefore(runId), z.array(z.string()))) ?? []);
  const rows = importedRows(await readPlanFile(store, planRef)).filter(
    // Except what an earlier import of the run wrote.
    ({ itemId, action }) => action === 'overwrite' && !moved.has(itemId),
  );
  let read = 0;
  await mapLimited(rows, REQUESTS_AT_A_TIME, async ({ itemId }) => {
    try {
      const item = await findItem(portal, itemId, options);
      if (item && mayBeMapped(item))
        await store.writeJson(keys.documentBefore(runId, itemId), await textsOf(portal, item, options));
    } catch (thrown) {
      // Only needed if the safeguard does not restore it.
      lastError(thrown);
    }
    progress({ kept: ++read, of: rows.length });
  });
}

/**
 * Maps imported items one by one and reads each back. Saves their previous JSON first. Safe to repeat. A difference
 * becomes a finding.
 * @throws PortolanError NOT_AUTHENTIC if the plan was made with another map than the run's
 */
export async function mapImported(
  deps: ActivityDeps,
  { runId, route, target, planRef }: ItemsOfPlan,
): Promise<Mapped> {
  const { authority, portals, store } = deps;
  requireOwnPlan(runId, planRef);
  const plan = await readPlanFile(store, planRef);
  const mapper = await mapperOf(deps, runId, plan);
  const into = { portal: target.name, groupId: route.target.groupId };
  // Part of an import that was already allowed to start.
  await authority.require(runId, { target: into, plan: planIdentity(plan), hasBegun: true });
  const imported = (await store.readJson(keys.ledger(runId), ledger))?.imported ?? [];
  const created = await store.readJson(keys.created(runId), createdItems);
  const at: MappingOf = { runId, planRef, portal: portals.open(target.name), target, mapper };
  const mapped: MappedItem[] = [];
  try {
    await mapLimited(imported, REQUESTS_AT_A_TIME, async ({ itemId, title }) => {
      const left = created?.items[itemId]?.modified;
      mapped.push(await mapItem(deps, at, { itemId, title, left }));
      progress({ mapped: mapped.length, of: imported.length });
    });
  } finally {
    // So that a rollback recognizes the items.
    const ours = mapped.filter(({ modified }) => modified !== undefined);
    for (const { itemId, modified } of ours) {
      const known = created?.items[itemId];
      if (created && known) created.items[itemId] = { ...known, modified: modified ?? null };
    }
    if (created && ours.length > 0) await store.writeJson(keys.created(runId), created);
  }
  const found = mapped.flatMap((each) => each.found ?? []);
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
  const { authority, portals, store } = deps;
  const { runId, of, route, target, planRef, hasBegun = false } = input;
  requireOwnPlan(runId, planRef);
  const plan = await readPlanFile(store, planRef);
  const kept = new Set(
    plan.rows.flatMap(({ action, itemId }) => (action === 'keep' || action === 'blocked' ? itemId : [])),
  );
  const into = { portal: target.name, groupId: route.target.groupId };
  const write = { target: into, plan: planIdentity(plan), undoes: of } as const;
  await authority.require(runId, { ...write, hasBegun: hasBegun || isRepeat() });
  const portal = portals.open(target.name);
  const map = await mapThatWas(deps, of);
  const [edited, failed]: [string[], string[]] = [[], []];
  let done = 0;
  for await (const key of store.list(keys.documents(of))) {
    const itemId = keys.itemOfImported(key);
    const imported = itemId === undefined ? undefined : await store.readJson(key, importedTexts);
    if (itemId === undefined || !imported || kept.has(itemId)) continue;
    const before = await store.readJson(keys.documentBefore(of, itemId), keptTexts);
    if (!before) continue;
    try {
      const options = { signal: stopSignal() };
      const now = await findItem(portal, itemId, options);
      const texts = now && (await textsOf(portal, now, options));
      if (!now || !texts || sameTexts(texts, before)) continue;
      const given = map ? [imported, mapTexts(imported, map)] : [imported];
      if (!given.some((each) => sameTexts(texts, each))) {
        edited.push(
          `${itemId} "${now.title}": its JSON has changed since ${of}; Portolan leaves it unchanged`,
        );
        continue;
      }
      await writeTexts(portal, now, before, { ...options, username: target.username ?? '' });
      const after = await findItem(portal, itemId, options);
      if (!after || !sameTexts(await textsOf(portal, after, options), before))
        throw new Error(`${target.name} shows a different one`);
      done += 1;
    } catch (thrown) {
      failed.push(`${itemId}: its JSON could not be restored: ${lastError(thrown).plainMessage}`);
    }
    progress({ done, left: edited.length + failed.length });
  }
  return {
    done,
    edited: edited.slice(0, WARNINGS_MAX),
    failed: failed.slice(0, WARNINGS_MAX),
    notDone: failed.length,
  };
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

async function mapItem(deps: ActivityDeps, at: MappingOf, imported: ImportedItem): Promise<MappedItem> {
  const { itemId, title } = imported;
  const sheet = new Sheet(itemId, title);
  const failed = (hint: string, path = 'data'): Verification => {
    sheet.find('not-mapped', { path, hint });
    return { ...sheet.end(), checked: 0 };
  };
  try {
    return await mapTextsOf(deps, at, imported, failed);
  } catch (thrown) {
    const { plainMessage } = lastError(thrown);
    return { itemId, places: 0, found: failed(`It could not be mapped: ${plainMessage}`) };
  }
}

async function mapTextsOf(
  { store }: ActivityDeps,
  { runId, planRef, portal, target, mapper }: MappingOf,
  { itemId, left }: ImportedItem,
  failed: (hint: string) => Verification,
): Promise<MappedItem> {
  const options: CallOptions = { signal: stopSignal() };
  const now = await findItem(portal, itemId, options);
  if (!now || !mayBeMapped(now)) return { itemId, places: 0 };
  const present = await textsOf(portal, now, options);
  const key = keys.documentImported(runId, itemId);
  const noted = await store.readJson(key, importedTexts);
  const kept = noted?.planRef === planRef ? noted : undefined;
  const before = kept ?? { ...present, planRef, asLeft: left !== undefined && left === now.modified };
  const mapped = mapTexts(before, mapper);
  const { places, why } = mapped;
  const found = why === undefined ? undefined : failed(`Its data was not checked: ${why}.`);
  if (places === 0) return { itemId, places, found };
  if (!kept) await store.writeJson(key, before);
  if (!sameTexts(present, mapped)) {
    if (!sameTexts(present, before))
      return { itemId, places: 0, found: failed('It has changed since the import. Check it.') };
    const { url, data } = mapped;
    const changed = { url, data: data === present.data ? undefined : data };
    await writeTexts(portal, now, changed, { ...options, username: target.username ?? '' });
  }
  const after = await findItem(portal, itemId, options);
  const isMapped = after !== undefined && sameTexts(await textsOf(portal, after, options), mapped);
  const modified = before.asLeft && after ? (after.modified ?? null) : undefined;
  if (isMapped) return { itemId, places, modified, found };
  return {
    itemId,
    places: 0,
    modified,
    found: failed(`${target.name} does not show what was written.`),
  };
}
