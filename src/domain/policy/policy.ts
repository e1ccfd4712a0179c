import type { Config, PortalConfig } from '../../config/config';
import { comparableUrl } from '../../config/portal-url';
import { findPortal, isSamePortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { stageName } from '../../model/release/promotion-input';
import { type IntendedWrite, latitudeOf, type Ruling } from '../../model/run/policy';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { type BindingRoute, decide, type Decision, freeze, type Freeze, type HeldGroup } from './decide';
import { type FreezeEvent, FreezeLog } from './freeze-log';

/** What the configuration of this process and its store say of whatever would write into a portal. */
export class Policy {
  private readonly routes: readonly BindingRoute[];
  private readonly stages: readonly HeldGroup[];
  private readonly log: FreezeLog;

  constructor(
    private readonly config: Config,
    private readonly store: Store = openStore(config),
    /** By which windows open. @format milliseconds since the epoch */
    private readonly clock: () => number = Date.now,
  ) {
    this.log = new FreezeLog(this.store);
    this.routes = [...config.routes.values()].map(({ name, source, target, options, backup }) => ({
      name,
      source,
      target,
      approval: options.approval,
      options: latitudeOf(options),
      drill: backup.drill,
    }));
    this.stages = [...config.pipelines.values()].flatMap(({ name, stages }) =>
      stages
        .filter(({ after }) => after !== undefined)
        .flatMap((stage) =>
          Object.values(stage.groups).map((group) => ({
            ...{ stage: stageName(name, stage.name), portal: stage.portal, group },
            ...{ settings: stage.settings, categories: stage.categories },
          })),
        ),
    );
  }

  /** Throws `PORTAL_NOT_FOUND` where the configuration has no such portal. */
  async decide(asked: IntendedWrite): Promise<Decision> {
    const { portal } = asked.target;
    return decide(asked, {
      policies: this.namesOf(portal).map(({ policy }) => policy),
      routes: this.routes,
      stages: this.stages,
      freeze: await this.freezeOf(portal),
      now: this.clock(),
      isSame: (one, other) => this.isSame(one, other),
    });
  }

  /**
   * Returns what the write has to keep to. Throws `PORTAL_FROZEN`, `POLICY_REFUSED`, and `WINDOW_CLOSED` unless it
   * `mayWait`: then it is only prepared now.
   */
  async require(asked: IntendedWrite, { mayWait = false } = {}): Promise<Ruling> {
    const decision = await this.decide(asked);
    if (decision.verdict === 'allowed') return decision.ruling;
    if (decision.verdict === 'waits') {
      if (mayWait) return decision.ruling;
      const { portal } = asked.target;
      const until = new Date(decision.until).toISOString();
      throw new PortolanError('WINDOW_CLOSED', `${decision.why}; a window opens at ${until}`, { portal });
    }
    const { code, saw, todo } = decision;
    throw new PortolanError(code, saw, { hint: todo, portal: asked.target.portal });
  }

  /** Until it is taken away, nothing is written into the portal, under whatever name. */
  async freeze(given: Freeze): Promise<void> {
    const portal = findPortal(this.config, given.portal);
    await this.store.writeJson(keyOf(portal), given);
    await this.log.note(comparableUrl(portal.url), { what: 'frozen', ...given });
  }

  /** Returns what is taken away; undefined where the portal was not frozen, or nobody can say by whom. */
  async unfreeze({ portal, ...by }: Omit<FreezeEvent, 'what'>): Promise<Freeze | undefined> {
    let isAlteredOne = false;
    const was = await this.freezeOf(portal).catch((thrown: unknown) => {
      if (!isAltered(thrown)) throw thrown;
      isAlteredOne = true;
      return undefined;
    });
    for (const name of this.namesOf(portal)) await this.store.remove(keyOf(name));
    const { url } = findPortal(this.config, portal);
    if (was || isAlteredOne) await this.log.note(comparableUrl(url), { what: 'unfrozen', portal, ...by });
    return was;
  }

  /** Who froze the portal, under whatever name, and who undid it, the newest first. @default of every portal */
  async freezeLog(portal?: string): ReturnType<FreezeLog['read']> {
    if (portal === undefined) return await this.log.read();
    const addresses = new Set(this.namesOf(portal).map(({ url }) => comparableUrl(url)));
    const logs = await Promise.all([...addresses].map((address) => this.log.read(address)));
    return {
      events: logs.flatMap(({ events }) => events).sort((one, other) => other.at - one.at),
      unreadable: logs.flatMap(({ unreadable }) => unreadable),
    };
  }

  /** Throws `NOTE_ALTERED` where somebody else wrote it: such a one holds as well, until it is taken away. */
  async freezeOf(portal: string): Promise<Freeze | undefined> {
    for (const name of this.namesOf(portal)) {
      const found = await this.store.readJson(keyOf(name), freeze).catch((thrown: unknown) => {
        if (!isAltered(thrown)) throw thrown;
        throw PortolanError.from(thrown).with({
          hint: `See who writes into the store; then: portolan unfreeze ${portal}`,
        });
      });
      if (found) return found;
    }
    return undefined;
  }

  /** Until when a write that could be made at another time has to wait; undefined where it need not, or is refused. */
  async windowOf(asked: IntendedWrite): Promise<AwaitedWindow | undefined> {
    const decision = await this.decide(asked);
    if (decision.verdict !== 'waits') return undefined;
    const { until, why } = decision;
    return { until: new Date(until).toISOString(), why, inMs: Math.max(0, until - this.clock()) };
  }

  /** Whether every entry of the portal leaves it to routes who may write. */
  isOpen(portal: string): boolean {
    return this.namesOf(portal).every(({ policy: { writes, adhoc } }) => writes === 'free' && adhoc);
  }

  /** Every entry of the configuration that is this portal. */
  private namesOf(portal: string): PortalConfig[] {
    const here = findPortal(this.config, portal);
    return [...this.config.portals.values()].filter((each) => isSamePortal(each, here));
  }

  private isSame(one: string, other: string): boolean {
    const [first, second] = [this.config.portals.get(one), this.config.portals.get(other)];
    return one === other || (first !== undefined && second !== undefined && isSamePortal(first, second));
  }
}

/** A window for which an import waits. */
export interface AwaitedWindow {
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly why: string;
  /** How long that is by the clock of whoever was asked. @format milliseconds */
  readonly inMs: number;
}

const keyOf = ({ url }: PortalConfig): string => keys.freeze(comparableUrl(url));
