import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { basis } from '../../domain/snapshot/basis';
import { rememberWeights } from '../../domain/transfer/outcomes';
import { halve, partition, type References } from '../../domain/transfer/partition';
import { readLinks } from '../../domain/transfer/references/links';
import { mayGo, shownByRefusal, weighted, weightOf } from '../../domain/transfer/weights';
import { PortolanError } from '../../model/errors/errors';
import { bytesText } from '../../model/text/bytes-text';
import { type RequestedItem, requestedItem } from '../../model/transfer/requested';
import type { RunRoute } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { progress, stopSignal } from '../attempt/heartbeat';
import { readPages, rewriteRequested } from './plan/stored-lists';

/** The requested items of a run, which go in packages. */
export interface PartsOfRun {
  readonly runId: string;
  readonly route: RunRoute;
}

const links = z.record(z.string(), z.array(z.string()));

/** In which package each item lies, and which call has decided that. */
const division = z.object({
  by: z.string(),
  parts: z.number(),
  partOf: z.record(z.string(), z.number()),
  bytesOf: z.record(z.string(), z.number()),
});
type Division = z.infer<typeof division>;

/** Which of a run's items lie in which of its packages. */
export function createPartActivities({ portals, store }: ActivityDeps) {
  return {
    /**
     * Divides what goes among as few packages as hold it: what depends on each other in one where it fits, and else what
     * is referred to first. Throws PACKAGE_TOO_LARGE with the names of items that no package can hold.
     */
    async splitRequested({ runId, route }: PartsOfRun): Promise<{ parts: number }> {
      const requested = await readPages(store, keys.requested(runId), requestedItem);
      const going = await goingOf(runId, requested);
      const limit = route.options.limits.packageBytes;
      const large = going.find((item) => item.doubt === undefined && (weightOf(item) ?? 0) > limit);
      if (large) throw tooLarge(large, route);
      const parts = partition(weighted(going), await referencesAmong(runId, route, going), limit);
      const partOf = placesIn(parts);
      await rewriteRequested(
        store,
        runId,
        requested.map((item) => ({ ...item, part: partOf.get(item.itemId) ?? 0 })),
      );
      return { parts: Math.max(1, parts.length) };
    },

    /**
     * Cuts a package in two that turned out to be over the limit: those behind it move on by one. That its items weigh
     * more than a package together is remembered for the next runs of the route. Throws PACKAGE_TOO_LARGE with the item's
     * name where the package holds one alone.
     */
    async halvePart({ runId, part, route }: PartsOfRun & { part: number }): Promise<{ parts: number }> {
      const requested = await readPages(store, keys.requested(runId), requestedItem);
      const { workflowExecution, activityId } = Context.current().info;
      const by = `${workflowExecution?.runId ?? ''}/${activityId}`;
      const noted = await store.readJson(keys.division(runId), division);
      // A repeat carries out what its first attempt has decided: by now the packages may have other numbers.
      const decided = noted?.by === by ? noted : await decide({ runId, route }, part, requested, by);
      const { partOf, bytesOf, parts } = decided;
      await rewriteRequested(
        store,
        runId,
        requested.map((item) => ({
          ...item,
          part: partOf[item.itemId] ?? 0,
          bytes: bytesOf[item.itemId] ?? item.bytes,
        })),
      );
      return { parts };
    },
  };

  async function decide(
    { runId, route }: PartsOfRun,
    part: number,
    requested: readonly RequestedItem[],
    by: string,
  ): Promise<Division> {
    const going = await goingOf(runId, requested);
    const inPart = going.filter((item) => item.part === part);
    const [only, ...others] = inPart;
    if (!only) throw new PortolanError('INTERNAL', `package ${part} contains no item of ${runId}`);
    const shown = shownByRefusal(inPart, route.options.limits.packageBytes);
    await rememberWeights(store, { runId, route }, shown);
    if (others.length === 0) throw tooLarge(only, route);
    const [first] = halve(weighted(inPart), await referencesAmong(runId, route, going));
    const ahead = new Set(first);
    const placeOf = ({ itemId, part: before }: RequestedItem): number =>
      before > part || (before === part && !ahead.has(itemId)) ? before + 1 : before;
    const decided: Division = {
      by,
      parts: going.reduce((most, item) => Math.max(most, placeOf(item)), 0) + 1,
      partOf: Object.fromEntries(going.map((item) => [item.itemId, placeOf(item)])),
      bytesOf: Object.fromEntries(shown),
    };
    await store.writeJson(keys.division(runId), decided);
    return decided;
  }

  /** What an export takes: a backup leaves out what it takes over from an earlier one. */
  async function goingOf(runId: string, requested: readonly RequestedItem[]): Promise<RequestedItem[]> {
    const taken = await store.readJson(keys.basis(runId), basis);
    const stays = new Set(taken?.rows.map(({ itemId }) => itemId));
    return mayGo(requested).filter(({ itemId }) => !stays.has(itemId));
  }

  /** As the references' guard has read them; a backup, which has none, reads them here, once. */
  async function referencesAmong(
    runId: string,
    route: RunRoute,
    going: readonly RequestedItem[],
  ): Promise<References> {
    let known = await store.readJson(keys.links(runId), links);
    if (!known) {
      const items = going.map(({ itemId, ...row }): Item => ({ ...row, id: itemId }));
      const portal = portals.open(route.source.portal);
      const onItem = (done: number, of: number): void => progress({ done, of });
      known = links.parse(await readLinks(portal, items, { signal: stopSignal() }, onItem));
      await store.writeJson(keys.links(runId), known);
    }
    return new Map(Object.entries(known));
  }
}

const placesIn = (parts: readonly (readonly string[])[]): Map<string, number> =>
  new Map(parts.flatMap((ids, part) => ids.map((itemId) => [itemId, part] as const)));

const tooLarge = ({ title, itemId }: RequestedItem, { source, options }: RunRoute): PortolanError =>
  new PortolanError(
    'PACKAGE_TOO_LARGE',
    `"${title}" (${itemId}) alone makes a package larger than ${bytesText(options.limits.packageBytes)}`,
    { portal: source.portal, itemId },
  );
