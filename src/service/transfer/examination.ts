import { askedBy } from '../../model/run/policy';
import { allowedByPolicy } from '../../domain/policy/decide';
import type { Policy } from '../../domain/policy/policy';
import { openControl } from '../../domain/control/control';
import { readOutcomes } from '../../domain/transfer/outcomes';
import { routeAddresses } from '../../domain/transfer/references/addresses';
import { type PortalFacts, readPortalFacts } from '../../domain/transfer/portal-facts';
import { bytesOf, goesSurely, withRemembered } from '../../domain/transfer/packing';
import { classifyAll, mappedItemsThere } from '../../domain/transfer/guards/group';
import {
  askGuards,
  inspectGroupOn,
  inspectPortal,
  weighItems,
} from '../../domain/transfer/guards/guard-list';
import type { Config, StageConfig } from '../../config/config';
import type { PortalPool } from '../../config/portal-pool';
import type { PortalRule } from '../../config/resolve-rule';
import { matchingGroups } from '../../domain/protect/rule-groups';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/run';
import { guardSteps, type Side } from '../../model/transfer/guard-steps';
import { leftOutAmong } from '../../model/transfer/requested';
import type { Route } from '../../model/transfer/route';
import { readGroupItems } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import type { Store } from '../../store/store';
import { type TemporalClient, withTemporal } from '../../temporal/connection';
import { type PollingWorker, requireWorkers } from '../../temporal/task-queue';
import { oneLine } from '../../model/text/plain-text';
import { type WorkerSources, compareWorkers, workerWords } from '../run/compatible-workers';
import { failingTasks } from '../run/lookup/failing-task';
import { newestIndexed } from '../run/lookup/indexed-runs';
import { failingWords } from '../run/run-view';
import { countOf, listFirst } from '../../model/text/words';

/** Inputs of preflight checks outside of a run: no worker, no Temporal, no writes on a portal. */
export interface Examination {
  readonly portals: PortalPool;
  readonly store: Store;
  readonly policy: Policy;
}

/**
 * Every preflight check of a sync, in the same steps; writes nothing on a portal. A failed check ends nothing; only
 * checks that need a missing value are skipped.
 * @param stage as people type it, into which releases go by the route @default a route of its own
 */
export async function examineRoute(
  route: Route,
  examination: Examination,
  stage?: string,
): Promise<GuardResult[]> {
  const checks = new RouteExamination(route, examination, stage);
  const results: GuardResult[] = [];
  for (const step of guardSteps.sync)
    results.push(...(await Promise.all(step.map((look) => checks.look(look)))).flat());
  return results;
}

/** Checks of one portal: whether it responds, the account, and its kind. */
export async function examinePortal(name: string, { portals }: Examination): Promise<GuardResult[]> {
  return await attempt(`sign-in to ${name}`, async () => {
    const { facts, results } = await inspectPortal(portals.open(name), 'source');
    return [signedIn(facts), ...results];
  });
}

/** How many groups match a rule now. */
export async function examineRule(rule: PortalRule, { portals }: Examination): Promise<GuardResult[]> {
  const name = `rule ${rule.name} of ${rule.portal}`;
  return await attempt(name, async () => {
    const { length } = await matchingGroups(portals.open(rule.portal), rule);
    if (length > 0) return [{ name, verdict: 'pass', saw: `${countOf(length, 'group')} match now` }];
    return [
      {
        name,
        verdict: 'unknown',
        saw: 'no group matches now',
        needs: 'a search that finds groups which this account can see',
        todo: `Try another search: portals.${rule.portal}.protect.${rule.name}.groups`,
      },
    ];
  });
}

/** Owners a stage names for new items. */
export async function examineOwners(
  { portal: name, owners }: StageConfig,
  { portals }: Examination,
): Promise<GuardResult[]> {
  if (!owners) return [];
  return await attempt(`owners on ${name}`, async () => {
    const portal = portals.open(name);
    return await askGuards('owners', { portal, facts: await readPortalFacts(portal), owners });
  });
}

/** Whether the items that a stage's map leads to exist. */
export async function examineMap(
  { portal, map }: StageConfig,
  { portals }: Examination,
): Promise<GuardResult[]> {
  if (!map) return [];
  return await attempt(`map on ${portal}`, () => mappedItemsThere(portals.open(portal), portal, map));
}

/** Whether starts and decisions can be signed here. */
export async function examineControl(config: Config): Promise<GuardResult[]> {
  return await attempt('control key', async () => {
    await openControl(config);
    const saw = `${config.control.key.source}; the worker needs the same`;
    return [{ name: 'control key', verdict: 'pass', saw }];
  });
}

/**
 * Whether a run could start: a server answers, and a worker takes work that keeps its records in the same store and can
 * sign in to these portals.
 */
export async function examineTemporal(config: Config, portals: readonly string[]): Promise<GuardResult[]> {
  const { address, taskQueue } = config.temporal;
  try {
    return await withTemporal(config, async (temporal) => {
      const server: GuardResult = { name: 'temporal', verdict: 'pass', saw: `responds at ${address}` };
      try {
        const workers = await requireWorkers(temporal, taskQueue);
        const able = await examineWorkers({ config, temporal }, portals, workers);
        return [server, ...able, ...(await examineRuns(config, temporal))];
      } catch (thrown) {
        return [server, refusalOf('worker', PortolanError.from(thrown))];
      }
    });
  } catch (thrown) {
    return [refusalOf('temporal', PortolanError.from(thrown))];
  }
}

/** Open runs with a failing workflow task: workers run, but their code does not fit. */
async function examineRuns(config: Config, temporal: TemporalClient): Promise<GuardResult[]> {
  const { rows } = await newestIndexed(temporal, config.temporal.taskQueue, { open: true }, Infinity);
  const failing = await failingTasks(
    temporal,
    rows.map(({ runId }) => runId),
  );
  const name = 'open runs';
  const [first] = failing.values();
  if (first === undefined) return [{ name, verdict: 'pass', saw: countOf(rows.length, 'open run') }];
  const { saw, todo } = failingWords(first);
  const runs = listFirst([...failing.keys()], 1).join(', ');
  return [{ name, verdict: 'refuse', saw: `${runs}: ${oneLine(saw)}`, todo }];
}

async function examineWorkers(
  asked: WorkerSources,
  portals: readonly string[],
  workers: readonly PollingWorker[],
): Promise<GuardResult[]> {
  const saw = workers.map(workerWords).join('; ');
  try {
    const unknown = await compareWorkers(asked, portals, workers);
    return [
      unknown === undefined
        ? { name: 'worker', verdict: 'pass', saw }
        : {
            name: 'worker',
            verdict: 'unknown',
            saw: `${saw}; ${unknown}`,
            needs: 'a worker that responds within 10 s',
            todo: 'See whether workers are up and busy: portolan status',
          },
    ];
  } catch (thrown) {
    return [refusalOf('worker', PortolanError.from(thrown))];
  }
}

type SyncLook = (typeof guardSteps.sync)[number][number];

/** The items that a sync would ask for. */
interface Weighed {
  readonly requested: readonly Item[];
  /** Exclusions, by item ID, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  readonly knownBytes: number;
}

/** Results so far, and further checks. */
class RouteExamination {
  private source?: PortalFacts;
  private target?: PortalFacts;
  private isListable = false;
  private items?: Weighed;

  constructor(
    private readonly route: Route,
    private readonly examination: Examination,
    private readonly stage?: string,
  ) {}

  async look(look: SyncLook): Promise<GuardResult[]> {
    const { source, target, items } = this;
    switch (look) {
      case 'portals':
        return await this.lookAtPortals();
      case 'source group':
        return source ? await this.lookAtGroup('source', source) : [];
      case 'target group':
        return target ? await this.lookAtGroup('target', target) : [];
      case 'source disk':
        return source ? await this.lookAtDisk(source) : [];
      case 'target disk':
        return target ? await this.lookAtDisk(target, items?.knownBytes) : [];
      case 'items':
        return source && this.isListable ? await this.lookAtItems(source) : [];
      case 'store': {
        const { store } = this.examination;
        if (!items) return [];
        // A package is hardly larger than its known items; services are unknown.
        return await attempt('store', () => askGuards('store', { store, neededBytes: items.knownBytes }));
      }
      case 'references':
        return source && target && items ? await this.lookAtReferences(source, target, items) : [];
    }
  }

  private async lookAtPortals(): Promise<GuardResult[]> {
    const { route } = this;
    const seen = async (side: Side): Promise<GuardResult[]> => {
      const { portal } = route[side];
      return await attempt(`sign-in to ${portal}`, async () => {
        const opened = this.examination.portals.open(portal);
        const { facts, results } = await inspectPortal(opened, side, undefined, route.target);
        this[side] = facts;
        return [signedIn(facts), ...results];
      });
    };
    const results = (await Promise.all([seen('source'), seen('target'), this.askPolicy()])).flat();
    const { source, target } = this;
    return source && target
      ? [...results, ...(await askGuards('pair', { source, target }, { run: 'sync' }))]
      : results;
  }

  /** By this configuration; at the start, the worker's policy applies. */
  private async askPolicy(): Promise<GuardResult[]> {
    const { portal } = this.route.target;
    const name = `policy of ${portal}`;
    return await attempt(name, async () => {
      const { policy } = this.examination;
      const decision = await policy.decide(
        askedBy(this.stage === undefined ? 'sync' : 'restore', this.route, this.stage),
      );
      const asked = allowedByPolicy(decision);
      if (asked) return [{ ...asked, name }];
      if (decision.verdict === 'allowed' && decision.ruling.hasWindows)
        return [{ name, verdict: 'pass', saw: 'needs no approval; a window for imports is open' }];
      const saw = policy.isOpen(portal)
        ? `none, so anyone who can start runs can write there without approval; portals.${portal}.policy can require one`
        : 'requires no approval';
      return [{ name, verdict: 'pass', saw }];
    });
  }

  private async lookAtGroup(side: Side, facts: PortalFacts): Promise<GuardResult[]> {
    return await attempt(`group on ${facts.name}`, async () => {
      const portal = this.examination.portals.open(facts.name);
      const { found, results } = await inspectGroupOn(portal, facts, this.route[side].groupId);
      if (side === 'source') this.isListable = found;
      return results;
    });
  }

  private async lookAtDisk({ name, release }: PortalFacts, upload?: number): Promise<GuardResult[]> {
    const { freeDiskBytes: minBytes } = this.route.options.limits;
    const portal = this.examination.portals.open(name);
    return await attempt(`disk on ${name}`, () =>
      askGuards('disk', { portal, version: release, minBytes, shares: { upload } }),
    );
  }

  private async lookAtItems(source: PortalFacts): Promise<GuardResult[]> {
    return await attempt(`content of ${source.name}`, async () => {
      const portal = this.examination.portals.open(source.name);
      const listed = await readGroupItems(portal, this.route.source.groupId);
      const { options } = this.route;
      const weighed = await weighItems(portal, listed, source, this.route);
      // The store's own check reports an unreadable store.
      const noted = await readOutcomes(this.examination.store, this.route).catch(() => undefined);
      const requested = withRemembered(weighed.requested, noted?.known ?? {}, options);
      const asked = new Set(requested.map(({ itemId }) => itemId));
      this.items = {
        requested: listed.filter(({ id }) => asked.has(id)),
        leftOut: leftOutAmong(requested),
        knownBytes: bytesOf(goesSurely(requested)),
      };
      return [...weighed.results, ...(await askGuards('packages', { requested, limits: options.limits }))];
    });
  }

  private async lookAtReferences(
    source: PortalFacts,
    target: PortalFacts,
    { requested, leftOut }: Weighed,
  ): Promise<GuardResult[]> {
    const { portals } = this.examination;
    return await attempt('references', () =>
      askGuards('references', {
        source: portals.open(source.name),
        target: portals.open(target.name),
        items: classifyAll(requested, source.release, leftOut),
        addresses: routeAddresses(source.addresses, target.addresses),
      }),
    );
  }
}

const signedIn = ({ name, url, username, role }: PortalFacts): GuardResult => {
  const who = username === undefined ? 'an app, no user' : `${username}, ${role ?? 'role unknown'}`;
  return { name: `sign-in to ${name}`, verdict: 'pass', saw: `${who}, at ${url}` };
};

/** Converts an error to a failed check that names it. */
async function attempt(name: string, look: () => Promise<GuardResult[]>): Promise<GuardResult[]> {
  try {
    return await look();
  } catch (thrown) {
    return [refusalOf(name, PortolanError.from(thrown))];
  }
}

/** A check that could not run, as failed. */
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
