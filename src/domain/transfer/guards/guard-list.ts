import type { GuardResult } from '../../../model/run/run';
import type { GuardedRun, Side } from '../../../model/transfer/guard-steps';
import type { RequestedItem } from '../../../model/transfer/requested';
import { type Limits, type RouteTarget, type RunRoute, excludedFrom } from '../../../model/transfer/route';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import type { PortalVersion } from '../../../portal/http/versions';
import { allowedByPolicy, type Decision } from '../../policy/decide';
import { type PortalFacts, readPortalFacts } from '../portal-facts';
import {
  type GroupReading,
  mayTransfer,
  type ClassifiedItem,
  exportableItems,
  requestedInGroup,
  referencesResolve,
  type ReferenceScope,
  groupReadable,
  classifyAll,
} from './group';
import {
  newEnough,
  packable,
  releaseOrder,
  selfManaged,
  writable,
  folderThere,
  sameConfiguration,
  twoPortals,
  type OwnedItems,
  ownersThere,
  nothingToRestore,
  scratchPortal,
  type UndoneRun,
} from './portal';
import {
  type DiskShares,
  contentDisk,
  storeRoom,
  type StoreToCheck,
  itemsWithinLimit,
  packageEstimate,
  type WeighableItem,
} from './room';
import type { Item } from '../../../portal/resources/items/item';
import { groupShownBy, isHostedService } from '../classify-item';
import { readAppData } from '../references/lookup';
import { recordMark } from '../outcomes';

/** Facts the checks need, once read. */
interface Subjects {
  readonly configuration: {
    /** In words, where the worker's configuration names another portal than the starter's. */
    readonly differing: readonly string[];
    /** Of what writes into a portal. */
    readonly decision?: Decision;
  };
  readonly portal: {
    readonly portal: Portal;
    readonly facts: PortalFacts;
    /** Of a target: the folder of the route. */
    readonly into?: Pick<RouteTarget, 'folderId' | 'folderOwner'>;
  };
  readonly pair: { readonly source: PortalFacts; readonly target: PortalFacts; readonly isScratch?: boolean };
  readonly group: { readonly facts: PortalFacts; readonly reading: GroupReading };
  readonly items: {
    /** Ids in the whole group. */
    readonly inGroup: ReadonlySet<string>;
    /** Ids that were chosen; absent where the whole group is asked for. */
    readonly chosen?: readonly string[];
    readonly requested: readonly ClassifiedItem<WeighableItem>[];
    readonly limits: Limits;
  };
  /** What goes, once it is known what stays where it is. */
  readonly packages: { readonly requested: readonly RequestedItem[]; readonly limits: Limits };
  readonly disk: {
    readonly portal: Portal;
    readonly version: PortalVersion;
    readonly minBytes: number;
    readonly shares?: DiskShares;
  };
  readonly store: { readonly store: StoreToCheck; readonly neededBytes: number };
  readonly references: ReferenceScope;
  readonly owners: OwnedItems;
  /** The run that is to be undone. */
  readonly record: { readonly runId: string; readonly record?: UndoneRun };
}
export type Subject = keyof Subjects;

type Answer = GuardResult | readonly GuardResult[] | undefined;

export interface Guard<S extends Subject> {
  /** Prefix of its result's name. */
  readonly name: string;
  /** @default either side */
  readonly side?: Side;
  /** @default every run that has its subject */
  readonly runs?: readonly GuardedRun[];
  /** Repeated after waiting for a person, because its result may have changed. */
  readonly again?: true;
  /** Undefined if there is nothing to check. */
  readonly ask: (of: Subjects[S], options?: CallOptions) => Answer | Promise<Answer>;
}

/**
 * Every preflight check, by what it needs. `doctor` and runs use these and no others; `guardSteps` defines the
 * order.
 */
export const guardList: { readonly [S in Subject]: readonly Guard<S>[] } = {
  configuration: [
    { name: 'configuration', again: true, ask: ({ differing }) => sameConfiguration(differing) },
    { name: 'policy', again: true, ask: ({ decision }) => decision && allowedByPolicy(decision) },
  ],
  portal: [
    { name: 'deployment', ask: ({ facts }) => selfManaged(facts) },
    { name: 'version', ask: ({ facts }) => newEnough(facts) },
    { name: 'writing', side: 'source', ask: ({ facts }) => packable(facts) },
    { name: 'writing', side: 'target', again: true, ask: ({ facts }) => writable(facts) },
    {
      name: 'folder',
      side: 'target',
      again: true,
      ask: ({ portal, facts, into }, options) => into && folderThere(portal, into, facts, options),
    },
  ],
  pair: [
    {
      name: 'two portals',
      runs: ['sync', 'drill', 'drill with import'],
      ask: ({ source, target }) => twoPortals(source, target),
    },
    { name: 'version order', ask: ({ source, target }) => releaseOrder(source, target) },
    {
      name: 'scratch portal',
      runs: ['drill with import'],
      ask: ({ target, isScratch }) => scratchPortal(target.name, isScratch === true),
    },
  ],
  group: [
    { name: 'group', again: true, ask: ({ reading }) => reading.result },
    {
      name: 'account',
      again: true,
      ask: ({ facts, reading: { group } }) => group && mayTransfer(facts, group),
    },
  ],
  items: [
    { name: 'requested items', ask: ({ chosen, inGroup }) => chosen && requestedInGroup(chosen, inGroup) },
    { name: 'item types', ask: ({ requested }) => exportableItems(requested) },
    { name: 'item size', ask: ({ requested, limits }) => itemsWithinLimit(requested, limits.itemBytes) },
  ],
  packages: [
    { name: 'package size', ask: ({ requested, limits }) => packageEstimate(requested, limits.packageBytes) },
  ],
  disk: [
    {
      name: 'disk',
      again: true,
      ask: ({ portal, ...disk }, options) => contentDisk(portal, disk, options),
    },
  ],
  store: [{ name: 'store', ask: ({ store, neededBytes }) => storeRoom(store, neededBytes) }],
  references: [{ name: 'references', ask: referencesResolve }],
  owners: [{ name: 'owners', ask: ownersThere }],
  record: [{ name: 'nothing to restore', ask: ({ runId, record }) => nothingToRestore(runId, record) }],
};

/** Selects the checks of a subject. */
interface GuardSelection {
  /** @default guards that are asked for any run */
  readonly run?: GuardedRun;
  readonly side?: Side;
  /** Only checks repeated after waiting for a person. @default false */
  readonly again?: boolean;
}

/**
 * The results of a subject's checks, in list order.
 * @throws PortolanError for anything that says nothing about the subject, such as a lost connection
 */
export async function askGuards<S extends Subject>(
  subject: S,
  of: Subjects[S],
  asked: GuardSelection = {},
  options?: CallOptions,
): Promise<GuardResult[]> {
  const answers: GuardResult[] = [];
  for (const guard of guardList[subject].filter((each) => isMeant(each, asked))) {
    const answer = await guard.ask(of, options);
    if (answer !== undefined) answers.push(...[answer].flat());
  }
  return answers;
}

const isMeant = (
  guard: Pick<Guard<Subject>, 'side' | 'runs' | 'again'>,
  { run, side, again = false }: GuardSelection,
): boolean =>
  (guard.side === undefined || guard.side === side) &&
  (guard.runs === undefined || (run !== undefined && guard.runs.includes(run))) &&
  (!again || guard.again === true);

/** Who a portal is, and whether it may be this end of a route. */
export async function inspectPortal(
  portal: Portal,
  side: Side,
  options?: CallOptions,
  into?: Pick<RouteTarget, 'folderId' | 'folderOwner'>,
): Promise<{ facts: PortalFacts; results: GuardResult[] }> {
  const facts = await readPortalFacts(portal, options);
  return { facts, results: await askGuards('portal', { portal, facts, into }, { side }, options) };
}

/** Whether the group is there and the account may export from it or import into it; not every portal tells its title. */
export async function inspectGroupOn(
  portal: Portal,
  facts: PortalFacts,
  groupId: string,
  options?: CallOptions,
): Promise<{ found: boolean; title?: string; results: GuardResult[] }> {
  const reading = await groupReadable(portal, groupId, options);
  return {
    found: reading.group !== undefined,
    title: reading.group?.title,
    results: await askGuards('group', { facts, reading }),
  };
}

/**
 * The items of a group's listing that a run asks for, with what the checks of their kinds and sizes say. Apps are judged
 * by their data as well, which is read for that.
 * @param excluded what the route leaves out, by ids with the reason; told where the listing has lost its tags
 */
export async function weighItems(
  portal: Portal,
  listed: readonly Item[],
  facts: PortalFacts,
  { options: { items: chosen, limits, exclude } }: Pick<RunRoute, 'options'>,
  excluded: ReadonlyMap<string, string> = excludedFrom(listed, exclude),
  options?: CallOptions,
): Promise<{ requested: RequestedItem[]; results: GuardResult[] }> {
  const desired = chosen && new Set(chosen);
  const asked = listed.filter((item) => !desired || desired.has(item.id));
  const going = asked.filter(({ id }) => !excluded.has(id));
  const appData = await readAppData(portal, going, options);
  const classified = classifyAll(asked, facts.release, excluded, appData);
  const inGroup = new Set(listed.map((item) => item.id));
  const requested = classified.map(({ item, classification }): RequestedItem => ({
    itemId: item.id,
    type: item.type ?? '?',
    title: item.title ?? item.id,
    size: item.size,
    modified: item.modified,
    url: item.url,
    typeKeywords: item.typeKeywords,
    mark: recordMark(item),
    skip: classification.verdict === 'skipped' ? classification.reason : undefined,
    excluded: excluded.has(item.id) || undefined,
    group: groupShownBy(appData.get(item.id)),
    doubt: classification.verdict === 'unknown' ? classification.reason : undefined,
    hosted: (classification.verdict !== 'skipped' && isHostedService(item)) || undefined,
    packageIndex: 0,
  }));
  return {
    requested,
    results: await askGuards('items', { inGroup, chosen, requested: classified, limits }),
  };
}

/** What is asked of a target once more after somebody was waited for. */
interface AskedAgain {
  readonly groupId: string;
  readonly into: Pick<RouteTarget, 'folderId' | 'folderOwner'>;
  readonly minBytes: number;
  readonly shares: DiskShares;
}

/**
 * The guards whose answer may have become another one while somebody was waited for, once more: of the target, since
 * all that is still to be done is done there.
 */
export async function inspectAgain(
  portal: Portal,
  { groupId, into, minBytes, shares }: AskedAgain,
  options?: CallOptions,
): Promise<GuardResult[]> {
  const asked = { side: 'target', again: true } as const;
  const facts = await readPortalFacts(portal, options);
  const [reading, ofPortal, ofDisk] = await Promise.all([
    groupReadable(portal, groupId, options),
    askGuards('portal', { portal, facts, into }, asked, options),
    askGuards('disk', { portal, version: facts.release, minBytes, shares }, asked, options),
  ]);
  return [...ofPortal, ...(await askGuards('group', { facts, reading }, asked)), ...ofDisk];
}
