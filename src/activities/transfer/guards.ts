import { classifyAll } from '../../domain/transfer/guards/group';
import {
  askGuards,
  inspectGroupOn,
  inspectPortal,
  weighItems,
  inspectAgain,
} from '../../domain/transfer/guards/guard-list';
import {
  excludedFrom,
  type Route,
  type RouteTarget,
  type RunRoute,
  type RouteEnd,
} from '../../model/transfer/route';
import type { PortalFacts, RunOnBoth } from '../../domain/transfer/portal-facts';
import { routeAddresses } from '../../domain/transfer/references/addresses';
import { unknown } from '../../domain/transfer/guards/verdict';
import { readOutcomes } from '../../domain/transfer/outcomes';
import { bytesOf, goesSurely, mayGo, withRemembered } from '../../domain/transfer/packing';
import type { GuardResult } from '../../model/run/run';
import { type IntendedWrite, askedBy, type Ruling } from '../../model/run/policy';
import type { Side } from '../../model/transfer/guard-steps';
import { leftOutAmong, type Requested } from '../../model/transfer/requested';
import { groupContentPages } from '../../portal/resources/groups';
import { type Item, listedItem } from '../../portal/resources/items/item';
import { keys } from '../../store/keys';
import { type ActivityDeps, differingPortals } from '../deps';
import { progress, stoppable } from '../attempt/heartbeat';
import { skipUnchanged, listedForComparison } from './skip-unchanged';
import {
  chosenItems,
  figuresOf,
  readLastRun,
  writeRequested,
  readPlanFile,
  readRequested,
} from './plan/stored-lists';
import { type DiskShares, sharesOfPlan } from '../../domain/transfer/guards/room';
import type { AwaitedWindow } from '../../domain/policy/policy';
import type { Store } from '../../store/store';

/**
 * Reads both portals and checks whether they suit the route. If the worker's configuration names another portal than
 * the starter's, refuses without contacting either, and without facts.
 */
export async function inspectPortals(
  deps: ActivityDeps,
  route: Route,
): Promise<{ source?: PortalFacts; target?: PortalFacts; ruling?: Ruling; results: GuardResult[] }> {
  const { portals } = deps;
  const ends = [route.source, route.target];
  const configuration = await askConfiguration(deps, ends, askedBy('sync', route));
  const { ruling } = configuration;
  if (configuration.isRefused) return { results: configuration.results };
  const [source, target] = await Promise.all([
    inspectPortal(portals.open(route.source.portal), 'source', stoppable()),
    inspectPortal(portals.open(route.target.portal), 'target', stoppable(), route.target),
  ]);
  const pair = { source: source.facts, target: target.facts };
  const ofPair = await askGuards('pair', pair, { run: 'sync' });
  const results = [...configuration.results, ...source.results, ...target.results, ...ofPair];
  return { ...pair, ruling, results };
}

/** Reads and checks the portal of a run that has only one. @param asked for a run that writes there */
export async function inspectEnd(
  deps: ActivityDeps,
  { end, side, asked }: { end: RouteTarget; side: Side; asked?: IntendedWrite },
): Promise<{ facts?: PortalFacts; ruling?: Ruling; results: GuardResult[] }> {
  const configuration = await askConfiguration(deps, [end], asked);
  const { ruling } = configuration;
  if (configuration.isRefused) return { results: configuration.results };
  const { facts, results } = await inspectPortal(deps.portals.open(end.portal), side, stoppable(), end);
  return { facts, ruling, results: [...configuration.results, ...results] };
}

export async function inspectGroup(
  { portals }: ActivityDeps,
  { facts, groupId }: { facts: PortalFacts; groupId: string },
): Promise<{ title?: string; results: GuardResult[] }> {
  return await inspectGroupOn(portals.open(facts.name), facts, groupId);
}

/**
 * Lists the whole source group and saves the requested items. With a target, marks those unchanged since an earlier run
 * of the route, which are not transferred.
 */
export async function listRequested(
  deps: ActivityDeps,
  input: {
    runId: string;
    route: RunRoute;
    source: PortalFacts;
    target?: PortalFacts;
    /** Transfer everything, as requested. @default as the route's options say */
    isFull?: boolean;
  },
): Promise<ListedItems> {
  const { store, portals } = deps;
  const { route, runId, source } = input;
  const { value: last, why } = await readLastRun(store, route);
  const { target } = route;
  const both = target && input.target && { runId, route: { ...route, target }, source, target: input.target };
  const listing = both && listedForComparison(deps, both, last);
  const listed: Item[] = [];
  const excluded = new Map<string, string>();
  for await (const page of groupContentPages(portals.open(source.name), route.source.groupId)) {
    for (const [itemId, why] of excludedFrom(page, route.options.exclude)) excluded.set(itemId, why);
    listed.push(...page.map(listedItem));
    progress({ listed: listed.length });
  }
  const items = await chosenItems(store, route.options);
  const weighed = await weighItems(
    portals.open(source.name),
    listed,
    source,
    { ...route, options: { ...route.options, items } },
    excluded,
    stoppable(),
  );
  const { known } = await readOutcomes(store, route);
  const { limits } = route.options;
  const asked = withRemembered(weighed.requested, known, {
    full: input.isFull || route.options.full,
    limits,
  });
  await writeRequested(store, runId, asked);
  await store.writeJson(
    keys.sourceIds(runId),
    listed.map((item) => item.id),
  );
  const left = both && (await skipUnchanged(deps, both, last, listing));
  const requested = left?.requested ?? asked;
  const ofPackages = await askGuards('packages', { requested, limits });
  const results = [...weighed.results, ...ofPackages];
  return {
    ...figuresOf(requested, listed.length),
    knownBytes: bytesOf(goesSurely(requested)),
    isOverLimit: bytesOf(mayGo(requested)) > limits.packageBytes || undefined,
    whole: left?.whole,
    results: why === undefined ? results : [...results, lastRunUnknown(why)],
    lastRequested: last?.requested,
  };
}

/** Checks a content store's free space for the portal's job and for what the run will still add. */
export async function checkDisk(
  { store, portals }: ActivityDeps,
  input: {
    portal: PortalFacts;
    minBytes: number;
    still?: StillToCome;
  },
): Promise<GuardResult[]> {
  const { portal: facts, minBytes, still = {} } = input;
  const shares = await sharesOf(store, still);
  const of = { portal: portals.open(facts.name), version: facts.release, minBytes, shares };
  return await askGuards('disk', of, {}, stoppable());
}

/** Checks that the store works and has enough space. Throws STORE_UNREACHABLE. */
export async function checkStore(
  { store }: ActivityDeps,
  input: { neededBytes: number },
): Promise<GuardResult[]> {
  return await askGuards('store', { store, ...input });
}

/**
 * Checks whether what the requested items refer to will exist, and which of each other they refer to. Reads their data,
 * so it takes longest.
 */
export async function checkReferences(
  { store, portals }: ActivityDeps,
  input: RunOnBoth,
): Promise<GuardResult[]> {
  const rows = await readRequested(store, input.runId);
  // Unchanged items were checked by the run that transferred them.
  const items = rows.filter(({ same }) => !same).map(({ itemId, ...row }): Item => ({ ...row, id: itemId }));
  const links: Record<string, readonly string[]> = {};
  const results = await askGuards(
    'references',
    {
      source: portals.open(input.source.name),
      target: portals.open(input.target.name),
      items: classifyAll(items, input.source.release, leftOutAmong(rows)),
      addresses: routeAddresses(input.source.addresses, input.target.addresses, {
        source: rows.flatMap((row) => (row.hosted && row.url ? [row.url] : [])),
      }),
      onItem: (done, of) => progress({ done, of }),
      onLinks: (itemId, to) => {
        if (to.length > 0) links[itemId] = to;
      },
    },
    { run: 'sync' },
    stoppable(),
  );
  // If several packages are needed, splitting uses these links instead of reading the data again.
  await store.writeJson(keys.links(input.runId), links);
  return results;
}

/** The requested items of the source group, and the results of their preflight checks. */
interface ListedItems extends Requested {
  readonly results: GuardResult[];
  readonly lastRequested?: number;
}

const lastRunUnknown = (why: string): GuardResult =>
  unknown('last run', {
    saw: `${why}; this run cannot detect a shrunken group or edits on the target since the last run`,
    needs: 'the state file of the last run, as Portolan wrote it',
    todo: 'Check who can write to the store. This run writes a new file.',
  });

/** What a run will still add to its target's content store. @default nothing known */
export interface StillToCome {
  /** The package, if not there yet. @format bytes */
  readonly upload?: number;
  /** For a run whose package is there. */
  readonly plan?: {
    /** Store key of the plan. */
    readonly ref: string;
    readonly packageBytes: number;
    /** What it overwrites is already saved. */
    readonly isSaved: boolean;
  };
}

interface GuardsAgain {
  readonly end: RouteTarget;
  /** What would be written. */
  readonly asked?: IntendedWrite;
  /** Free space required before an export and an import. @format bytes */
  readonly minBytes: number;
  readonly still: StillToCome;
}

/** Converts this to bytes, by the stored plan. */
async function sharesOf(store: Store, { upload, plan }: StillToCome): Promise<DiskShares> {
  if (!plan) return { upload };
  const { unpacked, safeguard } = sharesOfPlan((await readPlanFile(store, plan.ref)).rows, plan.packageBytes);
  return { unpacked, safeguard: plan.isSaved ? 0 : safeguard };
}

/**
 * Checks that starter and worker mean the same portals, and asks the policy about a write. The policy goes by the
 * portal's name, which means nothing if that is another portal here.
 */
async function askConfiguration(
  { portals, policy }: ActivityDeps,
  ends: readonly RouteEnd[],
  asked: IntendedWrite | undefined,
  { again = false } = {},
): Promise<{ isRefused: boolean; ruling?: Ruling; results: GuardResult[] }> {
  const differing = differingPortals(portals, ends);
  const decision = asked && differing.length === 0 ? await policy.decide(asked) : undefined;
  const results = await askGuards('configuration', { differing, decision }, { again });
  return {
    isRefused: results.some(({ verdict }) => verdict === 'refuse'),
    ruling: decision?.verdict === 'refused' ? undefined : decision?.ruling,
    results,
  };
}

/** The window an import has to wait for; null if it may start, or is refused for another reason. */
export async function askWindow(
  { authority }: ActivityDeps,
  { runId, asked }: { runId: string; asked: IntendedWrite },
): Promise<AwaitedWindow | null> {
  return (await authority.windowOf(runId, asked)) ?? null;
}

/**
 * Repeats preflight checks of the target after waiting: whether it accepts changes, whether the group and the account's
 * privilege are unchanged, and whether there is enough space. Writes nothing.
 */
export async function askGuardsAgain(
  deps: ActivityDeps,
  { end, asked, minBytes, still }: GuardsAgain,
): Promise<GuardResult[]> {
  const { store, portals } = deps;
  const configuration = await askConfiguration(deps, [end], asked, { again: true });
  if (configuration.isRefused) return configuration.results;
  const shares = await sharesOf(store, still);
  const again = { groupId: end.groupId, into: end, minBytes, shares };
  const answers = await inspectAgain(portals.open(end.portal), again, stoppable());
  return [...configuration.results, ...answers];
}
