import { folderThere } from '../../domain/transfer/guards/folder';
import { contentDisk, storeRoom } from '../../domain/transfer/guards/room';
import { referencesResolve } from '../../domain/transfer/guards/group-references';
import { classifyAll } from '../../domain/transfer/guards/group-items';
import { pass, refuse } from '../../domain/transfer/guards/verdict';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { routeAddresses } from '../../domain/transfer/references/portal-addresses';
import { inspectGroup, inspectPair, inspectPortal, weighItems } from '../../domain/transfer/guards/inspect';
import type { GuardResult } from '../../model/run/guard';
import { lastRun } from '../../model/run/last-run';
import { type Requested, requestedItem } from '../../model/transfer/requested';
import type { Route, RouteEnd, RouteTarget, RunRoute } from '../../model/transfer/route';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { progress, stopSignal } from '../attempt/heartbeat';
import { chosenItems, figuresOf, readPages, writeRequested } from './plan/stored-lists';
import { differingPortals } from '../portal-change/portal-ref';

export interface RouteAndFacts {
  readonly runId: string;
  readonly route: Route;
  readonly source: PortalFacts;
  readonly target: PortalFacts;
}

export function createGuardActivities({ portals, store }: ActivityDeps) {
  return {
    /**
     * Who both portals are, and whether they may be the ends of this route. Neither is asked where the worker's
     * configuration names another portal than the starter's: that is refused, and there are no facts.
     */
    async inspectPortals(
      route: Route,
    ): Promise<{ source?: PortalFacts; target?: PortalFacts; results: GuardResult[] }> {
      const configuration = sameConfiguration([route.source, route.target]);
      if (configuration.verdict === 'refuse') return { results: [configuration] };
      const options = { signal: stopSignal() };
      const [source, target] = await Promise.all([
        inspectPortal(portals.open(route.source.portal), 'source', options),
        inspectPortal(portals.open(route.target.portal), 'target', options),
      ]);
      return {
        source: source.facts,
        target: target.facts,
        results: [
          configuration,
          ...source.results,
          ...target.results,
          ...inspectPair(source.facts, target.facts),
          ...(await folderThere(portals.open(route.target.portal), route, target.facts, options)),
        ],
      };
    },

    /** The same for a run that has one portal only. */
    async inspectEnd({
      end,
      side,
    }: {
      end: RouteEnd | RouteTarget;
      side: 'source' | 'target';
    }): Promise<{ facts?: PortalFacts; results: GuardResult[] }> {
      const configuration = sameConfiguration([end]);
      if (configuration.verdict === 'refuse') return { results: [configuration] };
      const options = { signal: stopSignal() };
      const portal = portals.open(end.portal);
      const { facts, results } = await inspectPortal(portal, side, options);
      const target: RouteTarget = end;
      const folder = side === 'target' ? await folderThere(portal, { target }, facts, options) : [];
      return { facts, results: [configuration, ...results, ...folder] };
    },

    async inspectGroup(input: {
      facts: PortalFacts;
      groupId: string;
    }): Promise<{ title?: string; results: GuardResult[] }> {
      return await inspectGroup(portals.open(input.facts.name), input.facts, input.groupId, {
        signal: stopSignal(),
      });
    },

    /** Reads the source group's listing to its last page and keeps what the run asks for: the requested items. */
    async listRequested(input: {
      runId: string;
      route: RunRoute;
      source: PortalFacts;
    }): Promise<Requested & { results: GuardResult[]; lastRequested?: number }> {
      const { route, runId, source } = input;
      const listed: Item[] = [];
      for await (const page of groupContentPages(portals.open(source.name), route.source.groupId, {
        signal: stopSignal(),
      })) {
        listed.push(...page);
        progress({ listed: listed.length });
      }
      const items = await chosenItems(store, route.options);
      const { requested, knownBytes, results } = weighItems(listed, source, {
        ...route,
        options: { ...route.options, items },
      });
      await writeRequested(store, runId, requested);
      await store.writeJson(
        keys.sourceIds(runId),
        listed.map((item) => item.id),
      );
      const before = await store.readJson(keys.lastRun(route), lastRun);
      return {
        ...figuresOf(requested, listed.length),
        knownBytes,
        results,
        lastRequested: before?.requested,
      };
    },

    async checkDisk(input: { portal: PortalFacts; minBytes: number }): Promise<GuardResult> {
      const { portal, minBytes } = input;
      const disk = { minBytes, version: portal.release };
      return await contentDisk(portals.open(portal.name), disk, { signal: stopSignal() });
    },

    /** Whether the store can be used, and has room. Throws STORE_UNREACHABLE. */
    async checkStore(input: { neededBytes: number }): Promise<GuardResult> {
      return await storeRoom(store, input.neededBytes);
    },

    /** Whether what the requested items refer to will be there. Reads their data: the longest of the guards. */
    async checkReferences(input: RouteAndFacts): Promise<GuardResult> {
      const rows = await readPages(store, keys.requested(input.runId), requestedItem);
      const items = rows.map(({ itemId, ...row }): Item => ({ ...row, id: itemId }));
      return await referencesResolve(
        {
          source: portals.open(input.source.name),
          target: portals.open(input.target.name),
          items: classifyAll(items, input.source.release),
          addresses: routeAddresses(input.source.addresses, input.target.addresses, {
            source: rows.flatMap((row) => (row.hosted && row.url ? [row.url] : [])),
          }),
          onItem: (done, of) => progress({ done, of }),
        },
        { signal: stopSignal() },
      );
    },
  };

  /** The worker must know the same portals as the starter; a difference is refused with both shown. */
  function sameConfiguration(ends: readonly RouteEnd[]): GuardResult {
    const name = 'configuration';
    const differing = differingPortals(portals, ends);
    if (differing.length === 0) return pass(name, 'starter and worker name the same portals');
    return refuse(name, 'CONFIG_MISMATCH', {
      saw: differing.join('; '),
      needs: 'the same portals in both configurations',
      todo: "Make the worker's portolan.yaml and the starter's agree, and restart the worker.",
    });
  }
}
