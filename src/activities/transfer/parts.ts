import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { rememberWeights } from '../../domain/transfer/outcomes';
import {
  halve,
  partition,
  type References,
  shownByRefusal,
  weighted,
  weightOf,
} from '../../domain/transfer/packing';
import { readLinks } from '../../domain/transfer/references/lookup';
import { PortolanError } from '../../model/errors/errors';
import { bytesText } from '../../model/text/words';
import { type RequestedItem } from '../../model/transfer/requested';
import type { RunRoute } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { progress, stoppable } from '../attempt/heartbeat';
import { readGoing, readRequested, rewriteRequested } from './plan/stored-lists';

/** The requested items of a run, to split into packages. */
export interface PartsOfRun {
  readonly runId: string;
  readonly route: RunRoute;
}

const links = z.record(z.string(), z.array(z.string()));

/** Each item's package, and the call that decided it. */
const division = z.object({
  by: z.string(),
  parts: z.number(),
  partOf: z.record(z.string(), z.number()),
  bytesOf: z.record(z.string(), z.number()),
});
type Division = z.infer<typeof division>;

/**
 * Splits the items into as few packages as possible. Dependent items share a package if they fit; otherwise what others
 * refer to comes first. Throws PACKAGE_TOO_LARGE with the items that fit in no package.
 */
export async function splitRequested(
  deps: ActivityDeps,
  { runId, route }: PartsOfRun,
): Promise<{ parts: number }> {
  const { store } = deps;
  const requested = await readRequested(store, runId);
  const going = await readGoing(store, runId, requested);
  const limit = route.options.limits.packageBytes;
  const large = going.find((item) => item.doubt === undefined && (weightOf(item) ?? 0) > limit);
  if (large) throw tooLarge(large, route);
  const parts = partition(weighted(going), await referencesAmong(deps, { runId, route }, going), limit);
  const partOf = placesIn(parts);
  await rewriteRequested(
    store,
    runId,
    requested.map((item) => ({ ...item, packageIndex: partOf.get(item.itemId) ?? 0 })),
  );
  return { parts: Math.max(1, parts.length) };
}

/**
 * Splits a package that exceeded the limit in two; the following ones are renumbered. Remembers for the route's next runs that
 * its items together are too large. Throws PACKAGE_TOO_LARGE if the package holds a single item.
 */
export async function halvePart(
  deps: ActivityDeps,
  input: PartsOfRun & { packageIndex: number },
): Promise<{ parts: number }> {
  const { store } = deps;
  const { runId } = input;
  const requested = await readRequested(store, runId);
  const { workflowExecution, activityId } = Context.current().info;
  const by = `${workflowExecution?.runId ?? ''}/${activityId}`;
  const noted = await store.readJson(keys.division(runId), division);
  // A repeat applies its first attempt's decision, because package numbers may have changed.
  const decided = noted?.by === by ? noted : await decide(deps, input, requested, by);
  const { partOf, bytesOf, parts } = decided;
  await rewriteRequested(
    store,
    runId,
    requested.map((item) => ({
      ...item,
      packageIndex: partOf[item.itemId] ?? 0,
      bytes: bytesOf[item.itemId] ?? item.bytes,
    })),
  );
  return { parts };
}

async function decide(
  deps: ActivityDeps,
  { runId, route, packageIndex }: PartsOfRun & { packageIndex: number },
  requested: readonly RequestedItem[],
  by: string,
): Promise<Division> {
  const { store } = deps;
  const going = await readGoing(store, runId, requested);
  const inPart = going.filter((item) => item.packageIndex === packageIndex);
  const [only, ...others] = inPart;
  if (!only) throw new PortolanError('INTERNAL', `package ${packageIndex} contains no item of ${runId}`);
  const shown = shownByRefusal(inPart, route.options.limits.packageBytes);
  await rememberWeights(store, { runId, route }, shown);
  if (others.length === 0) throw tooLarge(only, route);
  const [first] = halve(weighted(inPart), await referencesAmong(deps, { runId, route }, going));
  const ahead = new Set(first);
  const placeOf = ({ itemId, packageIndex: before }: RequestedItem): number =>
    before > packageIndex || (before === packageIndex && !ahead.has(itemId)) ? before + 1 : before;
  const decided: Division = {
    by,
    parts: going.reduce((most, item) => Math.max(most, placeOf(item)), 0) + 1,
    partOf: Object.fromEntries(going.map((item) => [item.itemId, placeOf(item)])),
    bytesOf: Object.fromEntries(shown),
  };
  await store.writeJson(keys.division(runId), decided);
  return decided;
}

/** References as the preflight check read them. A backup, which has no such check, reads them once here. */
async function referencesAmong(
  { store, portals }: ActivityDeps,
  { runId, route }: PartsOfRun,
  going: readonly RequestedItem[],
): Promise<References> {
  let known = await store.readJson(keys.links(runId), links);
  if (!known) {
    const items = going.map(({ itemId, ...row }): Item => ({ ...row, id: itemId }));
    const portal = portals.open(route.source.portal);
    const onItem = (done: number, of: number): void => progress({ done, of });
    known = links.parse(await readLinks(portal, items, stoppable(), onItem));
    await store.writeJson(keys.links(runId), known);
  }
  return new Map(Object.entries(known));
}

const placesIn = (parts: readonly (readonly string[])[]): Map<string, number> =>
  new Map(parts.flatMap((ids, packageIndex) => ids.map((itemId) => [itemId, packageIndex] as const)));

const tooLarge = ({ title, itemId }: RequestedItem, { source, options }: RunRoute): PortolanError =>
  new PortolanError(
    'PACKAGE_TOO_LARGE',
    `"${title}" (${itemId}) alone makes a package larger than ${bytesText(options.limits.packageBytes)}`,
    { portal: source.portal, itemId },
  );
