import { type PortalFacts, readPortalFacts } from '../../src/domain/transfer/portal-facts';
import type { Portal } from '../../src/portal/client';
import { type Release, releaseFrom } from '../../src/portal/http/versions';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { builtInUsers } from '../../src/simulator/seed/users';
import type { Settings } from '../../src/simulator/options';
import type { Simulator } from '../../src/simulator/simulator';
import type { GroupRecord, ItemRecord, LayerRecord, TaskRunRecord } from '../../src/simulator/state/records';
import { connect } from '../simulator/harness';

export type User = keyof typeof builtInUsers;

/** An item to be there; with layers it is a hosted feature service. */
export interface Planted {
  readonly type: string;
  readonly keywords?: readonly string[];
  /** Its data. @default a few bytes */
  readonly data?: string | object;
  readonly layers?: readonly LayerRecord[];
  readonly tables?: readonly LayerRecord[];
  /** Further fields of the record. */
  readonly fields?: Partial<ItemRecord>;
}

export interface Holding {
  readonly groupId: string;
  readonly title: string;
  /** Ids of the items, in the order in which they were named. */
  readonly ids: readonly string[];
}

/** One simulated portal, with those who call it. */
export class Site {
  readonly #portals = new Map<User, Portal>();
  readonly #seed: SeedBuilder;
  #count = 0;

  constructor(readonly simulator: Simulator) {
    this.#seed = new SeedBuilder(simulator.world);
  }

  get orgId(): string {
    return this.simulator.world.portal.orgId;
  }

  /** As Portolan's client names it. */
  get version(): Release {
    const version = releaseFrom(this.simulator.settings.release.text);
    if (!version) throw new Error('the release cannot be read');
    return version;
  }

  /** Portolan's client, signed in as one of the portal's users. */
  as(user: User): Portal {
    const portal = this.#portals.get(user) ?? connect(this.simulator, user);
    this.#portals.set(user, portal);
    return portal;
  }

  facts(user: User = 'owner'): Promise<PortalFacts> {
    return readPortalFacts(this.as(user));
  }

  item(id: string): ItemRecord | undefined {
    return this.simulator.world.items.get(id);
  }

  /** A new group of the user `owner` that holds these items. */
  async plant(items: readonly Planted[] = [], group: Partial<GroupRecord> = {}): Promise<Holding> {
    const { world } = this.simulator;
    const record = this.#seed.group(world.newId(), `Group ${++this.#count}`, group);
    const ids: string[] = [];
    for (const item of items) ids.push(await this.#put(item, record.id));
    return { groupId: record.id, title: record.title, ids };
  }

  async #put(
    { type, keywords, data, layers, tables = [], fields }: Planted,
    groupId: string,
  ): Promise<string> {
    const id = this.simulator.world.newId();
    const record = { id, type, title: `${type} ${++this.#count}`, groups: [groupId], ...fields };
    const typeKeywords = keywords && [...keywords];
    if (layers) {
      await this.#seed.hosted({ ...record, ...(typeKeywords && { typeKeywords }) }, `S${id}`, {
        layers,
        tables,
      });
    } else {
      const content = data ?? `data of ${id}`;
      await this.#seed.file({ name: `${id}.dat`, ...record, ...(typeKeywords && { typeKeywords }) }, content);
      // A file's own size counts, unless the record is to tell another one.
      if (fields?.size !== undefined) this.simulator.world.items.change(id, { size: fields.size });
    }
    return id;
  }

  /** Changes settings of the portal while something is done. */
  async set<T>(settings: Partial<Settings>, act: () => Promise<T>): Promise<T> {
    const before = { ...this.simulator.settings };
    Object.assign(this.simulator.settings, settings);
    try {
      return await act();
    } finally {
      Object.assign(this.simulator.settings, before);
    }
  }

  /** A scheduled task of the user `owner`, with one run. */
  task(): { readonly username: string; readonly taskId: string; readonly runId: string } {
    const { world } = this.simulator;
    const ids = { taskId: world.newId(), runId: world.newId() };
    this.#seed.task(ids.taskId, ids.runId, 'Nightly', world.newId());
    return { username: builtInUsers.owner.username, ...ids };
  }

  taskRun(runId: string): TaskRunRecord | undefined {
    return this.simulator.world.taskRuns.get(runId);
  }
}
