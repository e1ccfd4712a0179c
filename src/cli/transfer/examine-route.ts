import { classifyAll } from '../../domain/transfer/guards/group-items';
import { referencesResolve } from '../../domain/transfer/guards/group-references';
import { contentDisk, storeRoom } from '../../domain/transfer/guards/room';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { routeAddresses } from '../../domain/transfer/references/portal-addresses';
import {
  inspectGroup,
  inspectPair,
  inspectPortal,
  type Side,
  weighItems,
} from '../../domain/transfer/guards/inspect';
import type { PortalPool } from '../../config/portal-pool';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/guard';
import type { Route } from '../../model/transfer/route';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import type { Store } from '../../store/store';

/** What the guards work with outside of a run: no worker, no Temporal, no writes on a portal. */
export interface Examination {
  readonly portals: PortalPool;
  readonly store: Store;
  /** Told each guard's answer as it comes. */
  readonly onResult?: (result: GuardResult) => void;
}

/** Every guard of a route, none of which writes on a portal. Those that need an answer that did not come are left out. */
export async function examineRoute(route: Route, examination: Examination): Promise<GuardResult[]> {
  const sheet = new Sheet(examination);
  const { limits } = route.options;
  const source = await sheet.examinePortal(route.source.portal, 'source');
  const target = await sheet.examinePortal(route.target.portal, 'target');
  if (source && target) sheet.add(...inspectPair(source, target));
  const readable = source && (await sheet.examineGroup(source, route.source.groupId));
  if (target) await sheet.examineGroup(target, route.target.groupId);
  const { portals, store } = examination;
  if (source && readable) {
    const items = await sheet.attempt(`content of ${source.name}`, () => listItems(portals, route));
    if (items !== undefined) {
      const { requested, knownBytes, results } = weighItems(items, source, route);
      sheet.add(...results);
      // A package is never larger than what is known of it by much; services are the unknown part.
      await sheet.keep('store', () => storeRoom(store, knownBytes));
      if (target)
        await sheet.examineReferences(source, target, items, new Set(requested.map(({ itemId }) => itemId)));
    }
  }
  for (const facts of [source, target]) {
    if (facts)
      await sheet.keep(`disk on ${facts.name}`, () =>
        contentDisk(portals.open(facts.name), { minBytes: limits.freeDiskBytes, version: facts.release }),
      );
  }
  return sheet.results;
}

/** A portal by itself: whether it answers, who we are there, and what it is. */
export async function examinePortal(name: string, examination: Examination): Promise<GuardResult[]> {
  const sheet = new Sheet(examination);
  await sheet.examinePortal(name, 'source');
  return sheet.results;
}

async function listItems(portals: PortalPool, { source }: Route): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of groupContentPages(portals.open(source.portal), source.groupId))
    items.push(...page);
  return items;
}

/** Collects answers; an error in place of one becomes a refusal that says what was seen. */
class Sheet {
  readonly results: GuardResult[] = [];

  constructor(private readonly examination: Examination) {}

  add(...results: GuardResult[]): void {
    this.results.push(...results);
    for (const result of results) this.examination.onResult?.(result);
  }

  async attempt<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      this.add(refusalOf(name, PortolanError.from(thrown)));
      return undefined;
    }
  }

  async keep(name: string, work: () => Promise<GuardResult>): Promise<void> {
    const result = await this.attempt(name, work);
    if (result !== undefined) this.add(result);
  }

  async examinePortal(name: string, side: Side): Promise<PortalFacts | undefined> {
    const seen = await this.attempt(`sign-in to ${name}`, () =>
      inspectPortal(this.examination.portals.open(name), side),
    );
    if (seen === undefined) return undefined;
    const { facts, results } = seen;
    const who =
      facts.username === undefined
        ? 'an application, no user'
        : `${facts.username}, ${facts.role ?? 'role unknown'}`;
    this.add({ name: `sign-in to ${name}`, verdict: 'pass', saw: `${who}, at ${facts.url}` }, ...results);
    return facts;
  }

  async examineGroup(facts: PortalFacts, groupId: string): Promise<boolean> {
    const seen = await this.attempt(`group on ${facts.name}`, () =>
      inspectGroup(this.examination.portals.open(facts.name), facts, groupId),
    );
    if (seen !== undefined) this.add(...seen.results);
    return seen?.found === true;
  }

  async examineReferences(
    source: PortalFacts,
    target: PortalFacts,
    items: readonly Item[],
    requested: ReadonlySet<string>,
  ): Promise<void> {
    const { portals } = this.examination;
    await this.keep('references', () =>
      referencesResolve({
        source: portals.open(source.name),
        target: portals.open(target.name),
        items: classifyAll(
          items.filter(({ id }) => requested.has(id)),
          source.release,
        ),
        addresses: routeAddresses(source.addresses, target.addresses),
      }),
    );
  }
}

export const refusalOf = (name: string, error: PortolanError): GuardResult => ({
  name,
  verdict: 'refuse',
  code: error.code,
  saw:
    error.facts.portalWords === undefined
      ? error.plainMessage
      : `${error.plainMessage} ("${error.facts.portalWords}")`,
  todo: error.hint,
});
