import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config';
import { rights } from '../../model/rights';
import { PortolanError } from '../../model/errors/errors';
import { openStore } from '../../store/open-store';
import { portolanWith } from '../local';
import { readPortalQueues } from '../portal-queue/portal-queues';
import { releaseSlot, seekHolder } from '../run/release-slot';
import { type WriteContext, type ReadContext, withReadableSources, withSources } from '../run/run-sources';
import { whoTypes } from '../run/who';
import { readStatus } from '../status/read-status';
import { localHooks, localRoutes } from './local-operating';
import { localPipelines, localReleases } from './local-releases';
import { localSchedules } from './local-schedules';
import { localSnapshots } from './local-snapshots';
import type { Held, Portolan } from './portolan';
import type { Who } from './who-view';

/** Uses store and Temporal of a configuration; both are required. */
export const withLocal = <T>(config: Config, work: (portolan: Portolan) => Promise<T>): Promise<T> =>
  withSources(config, (sources) => work(new LocalPortolan(sources)));

/** Read-only: uses the store alone if Temporal cannot be reached. */
export const withReadableLocal = <T>(config: Config, work: (portolan: Portolan) => Promise<T>): Promise<T> =>
  withReadableSources(config, (sources) => work(new LocalPortolan(sources)));

/** Uses the store only; Temporal is not contacted. */
export const withStoredLocal = <T>(config: Config, work: (portolan: Portolan) => Promise<T>): Promise<T> =>
  work(new LocalPortolan({ config, store: openStore(config) }));

/** Implementation with direct access to store and Temporal. */
export class LocalPortolan implements Portolan {
  readonly schedules: Portolan['schedules'];
  readonly snapshots: Portolan['snapshots'];
  readonly releases: Portolan['releases'];
  readonly pipelines: Portolan['pipelines'];
  readonly hooks: Portolan['hooks'];
  readonly routes: Portolan['routes'];

  constructor(private readonly sources: ReadContext) {
    this.schedules = localSchedules(() => this.acting);
    this.snapshots = localSnapshots(sources);
    this.releases = localReleases(sources);
    this.pipelines = localPipelines(sources);
    this.hooks = localHooks(sources);
    this.routes = localRoutes(sources);
  }

  get portolan(): Portolan['portolan'] {
    return portolanWith(this.acting);
  }

  get place(): Portolan['place'] {
    return { label: 'config', words: this.sources.config.path };
  }

  get workerLog(): string | undefined {
    const log = path.join(this.sources.config.temporal.state, 'worker.log');
    return existsSync(log) ? log : undefined;
  }

  /** Throws `TEMPORAL_UNREACHABLE` if only the store is available. */
  private get acting(): WriteContext {
    const { temporal, config, store } = this.sources;
    if (temporal) return { temporal, config, store, asker: whoTypes() };
    throw new PortolanError('TEMPORAL_UNREACHABLE', `Cannot reach Temporal at ${config.temporal.address}.`);
  }

  async whoami(): Promise<Who> {
    return await Promise.resolve({ ...whoTypes(), rights: [...rights] });
  }

  status = () => readStatus(this.sources);

  async listQueues(): ReturnType<Portolan['listQueues']> {
    return await readPortalQueues(this.acting.temporal, this.sources.config);
  }

  async seekHolder(queue: string, text: string): Promise<Held> {
    const { address, holder } = await seekHolder(this.acting, queue, text);
    return { portal: address.portal, direction: address.direction, ...holder };
  }

  releaseSlot({ portal, direction, ...holder }: Held, reason: string): ReturnType<Portolan['releaseSlot']> {
    const { taskQueue } = this.sources.config.temporal;
    return releaseSlot(this.acting, { taskQueue, portal, direction }, holder, reason);
  }
}
