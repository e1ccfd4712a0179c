import type { Config, PortalConfig } from '../../config/config';
import { findPipeline, findStage } from '../../config/resolve-pipeline';
import { findPortal, isSamePortal, namesOfPortal } from '../../config/resolve-route';
import { portalIdentities } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { stageName } from '../../model/release/promotion-input';
import type { IntendedWrite, PortalPolicy, Ruling } from '../../model/run/policy';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { approversOf, decide, type Decision, freeze, type Freeze, type HeldGroup, heldBy } from './decide';
import { type FreezeEvent, freezeLog } from '../event-log';

/** Policies of this configuration, and freezes in its store. */
export class Policy {
  private readonly stages: readonly HeldGroup[];

  constructor(
    private readonly config: Config,
    private readonly store: Store = openStore(config),
    /** By which windows open. @format milliseconds since the epoch */
    private readonly clock: () => number = Date.now,
    /** Reads the members of a portal group. @default nobody is asked, and the group stands for them */
    private readonly membersOf?: (portal: string, group: string) => Promise<readonly string[]>,
  ) {
    this.stages = [...config.pipelines.values()].flatMap(({ name, stages }) =>
      stages
        .filter(({ after }) => after !== undefined)
        .flatMap((stage) =>
          Object.values(stage.groups).map((group) => ({
            stage: stageName(name, stage.name),
            portal: stage.portal,
            group,
            settings: stage.settings,
            categories: stage.categories,
          })),
        ),
    );
  }

  /** Throws `PORTAL_NOT_FOUND` where the configuration has no such portal. */
  async decide(asked: IntendedWrite): Promise<Decision> {
    const { portal } = asked.target;
    const rules = {
      policies: await Promise.all(this.namesOf(portal).map((each) => this.withMembers(each))),
      routes: [...this.config.routes.values()],
      stages: this.stages,
      now: this.clock(),
      isSame: (one: string, other: string) => this.isSame(one, other),
    };
    const stage = heldBy(asked, rules);
    const frozen =
      (await this.freezeOf(portal)) ?? (stage === undefined ? undefined : await this.freezeOf(stage));
    return decide(asked, { ...rules, freeze: frozen });
  }

  /** The approvers of a portal. Throws `PORTAL_NOT_FOUND`. */
  async approversInto(portal: string): Promise<ReturnType<typeof approversOf>> {
    return approversOf(await Promise.all(this.namesOf(portal).map((each) => this.withMembers(each))));
  }

  /** Approvers who are members of a group, by the names under which they sign in. */
  private async withMembers({ name, policy }: PortalConfig): Promise<PortalPolicy> {
    const { users = [], group } = policy.approvers ?? {};
    if (group === undefined) return policy;
    const members = (await this.membersOf?.(name, group)) ?? [];
    const signedIn = this.membersOf ? members.map((each) => `${each}@${name}`) : [`group ${group}`];
    return { ...policy, approvers: { users: [...users, ...signedIn], group } };
  }

  /**
   * Returns the ruling for a write. Throws `PORTAL_FROZEN`, `POLICY_REFUSED`, and `WINDOW_CLOSED` unless it
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

  /**
   * Freezes a portal under all its names, or a stage `PIPELINE/STAGE`: its groups, and what promotions change on its
   * portal. Throws `PORTAL_NOT_FOUND`, `PIPELINE_NOT_FOUND`, `STAGE_NOT_FOUND`, and `USAGE` for a first stage.
   */
  async freeze(given: Freeze): Promise<void> {
    const [address = ''] = this.addressesOf(given.portal);
    await this.store.writeJson(keys.freeze(address), given);
    await freezeLog(this.store, address).note({ what: 'frozen', ...given });
  }

  /** Unfreezes it. Returns the removed freeze, `altered` if it was modified, and undefined if it was not frozen. */
  async unfreeze({ portal, ...by }: Omit<FreezeEvent, 'what'>): Promise<Freeze | 'altered' | undefined> {
    const was = await this.freezeOf(portal).catch((thrown: unknown) => {
      if (!isAltered(thrown)) throw thrown;
      return 'altered' as const;
    });
    const addresses = this.addressesOf(portal);
    for (const address of addresses) await this.store.remove(keys.freeze(address));
    const [address = ''] = addresses;
    if (was) await freezeLog(this.store, address).note({ what: 'unfrozen', portal, ...by });
    return was;
  }

  /** Freezes and unfreezes of a portal under all its names, or of a stage, newest first. @default of all */
  async freezeLog(portal?: string): Promise<{ events: FreezeEvent[]; unreadable: string[] }> {
    if (portal === undefined) return await freezeLog(this.store).read();
    const logs = await Promise.all(
      this.addressesOf(portal).map((address) => freezeLog(this.store, address).read()),
    );
    return {
      events: logs.flatMap(({ events }) => events).sort((one, other) => other.at - one.at),
      unreadable: logs.flatMap(({ unreadable }) => unreadable),
    };
  }

  /** Throws `NOTE_ALTERED` if it was modified; it still counts until it is removed. */
  async freezeOf(portal: string): Promise<Freeze | undefined> {
    for (const address of this.addressesOf(portal)) {
      const found = await this.store.readJson(keys.freeze(address), freeze).catch((thrown: unknown) => {
        if (!isAltered(thrown)) throw thrown;
        throw PortolanError.from(thrown).with({
          hint: `Check who can write to the store. Then: portolan unfreeze ${portal}`,
        });
      });
      if (found) return found;
    }
    return undefined;
  }

  /** Everything frozen now: portals, each once, and stages. Throws as `freezeOf`. */
  async freezes(): Promise<Freeze[]> {
    const stages = [...this.config.pipelines.values()].flatMap(({ name, stages: all }) =>
      all.filter(({ after }) => after !== undefined).map((stage) => `${name}/${stage.name}`),
    );
    const found = new Map<string, Freeze>();
    for (const name of [...this.config.portals.keys(), ...stages]) {
      const addresses = this.addressesOf(name);
      if (addresses.some((address) => found.has(address))) continue;
      const frozen = await this.freezeOf(name);
      if (frozen) for (const address of addresses) found.set(address, frozen);
    }
    return [...new Set(found.values())];
  }

  /** Until when a deferrable write has to wait; undefined if it need not, or is refused. */
  async windowOf(asked: IntendedWrite): Promise<AwaitedWindow | undefined> {
    const decision = await this.decide(asked);
    if (decision.verdict !== 'waits') return undefined;
    const { until, why } = decision;
    return { until: new Date(until).toISOString(), why, inMs: Math.max(0, until - this.clock()) };
  }

  /** Groups of stages on a portal, under any of its names. */
  heldOn(portal: string): readonly HeldGroup[] {
    return this.stages.filter((each) => this.isSame(each.portal, portal));
  }

  /** Whether every entry of the portal allows ad hoc writes without approval. */
  isOpen(portal: string): boolean {
    return this.namesOf(portal).every(({ policy: { writes, adhoc } }) => writes === 'free' && adhoc);
  }

  /** Keys of the freezes of a portal or stage; the first is the given name. */
  private addressesOf(name: string): string[] {
    const [pipelineName = '', ...rest] = name.split('/');
    if (rest.length === 0) {
      const portal = findPortal(this.config, name);
      return [...new Set([portal, ...this.namesOf(name)].flatMap(portalIdentities))];
    }
    const { after, portal } = findStage(this.config, findPipeline(this.config, pipelineName), rest.join('/'));
    if (after !== undefined) return [`stage:${name}`];
    throw new PortolanError(
      'USAGE',
      `${name} is the first stage of its pipeline; nothing is promoted there.`,
      {
        hint: `Freeze its portal: portolan freeze ${portal} --reason "..."`,
      },
    );
  }

  /** Every entry of the configuration that is this portal. */
  private namesOf(portal: string): PortalConfig[] {
    return namesOfPortal(this.config, portal);
  }

  private isSame(one: string, other: string): boolean {
    const [first, second] = [this.config.portals.get(one), this.config.portals.get(other)];
    return one === other || (first !== undefined && second !== undefined && isSamePortal(first, second));
  }
}

/** A window that an import waits for. */
export interface AwaitedWindow {
  /** ISO 8601, in UTC. */
  readonly until: string;
  readonly why: string;
  /** Time until it opens, by the worker's clock. @format milliseconds */
  readonly inMs: number;
}
