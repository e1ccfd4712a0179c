import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config';
import { rights } from '../../config/file/serve-schema';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { oneLine } from '../../model/text/plain-text';
import { countOf } from '../../model/text/words';
import { openStore } from '../../store/open-store';
import { readPortalQueues } from '../portal-queue/read-portal-queues';
import { releaseSlot, seekHolder } from '../run/release-slot';
import {
  approve,
  type ApproveRequest,
  cancel,
  type CancelRequest,
  reject,
  type RejectRequest,
  resume,
  type ResumeRequest,
} from '../run/answer-run';
import { findRun, seekGroupRun, resolveRun } from '../run/find-run';
import { readPlan } from '../run/read-run';
import { readRunEvents } from '../run/run-events';
import { type PageOptions, runPage, withQueues } from '../run/run-rows';
import { type WriteContext, type ReadContext, withReadableSources, withSources } from '../run/run-sources';
import { watchRun } from '../run/watch-run';
import { whoTypes } from '../run/who';
import { type Beginning, prepareRestart } from '../start/restart';
import { readStatus } from '../status/read-status';
import { localFreezes, localHooks, localRoutes } from './local-operating';
import { localPipelines, localReleases } from './local-releases';
import { localSchedules } from './local-schedules';
import { localSnapshots } from './local-snapshots';
import type { Begin, Held, Portolan } from './portolan';
import { prepareStart } from './prepare-start';
import { beginPrepared, type Start } from './start';
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
  readonly freezes: Portolan['freezes'];
  readonly hooks: Portolan['hooks'];
  readonly routes: Portolan['routes'];

  constructor(private readonly sources: ReadContext) {
    this.schedules = localSchedules(() => this.acting);
    this.snapshots = localSnapshots(sources);
    this.releases = localReleases(sources);
    this.pipelines = localPipelines(sources);
    this.freezes = localFreezes(sources);
    this.hooks = localHooks(sources);
    this.routes = localRoutes(sources);
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

  async listRuns(asked: Omit<PageOptions, 'onUntold'>): ReturnType<Portolan['listRuns']> {
    return await listRuns(this.sources, asked);
  }

  resolveRun = (text: string) => resolveRun(this.sources, text);
  seekGroupRun = (text: string) => seekGroupRun(this.sources, text);
  watchRun = (runId: string, signal: AbortSignal) => watchRun(this.sources, runId, signal);
  readPlan = (record: RunRecord) => readPlan(this.sources.store, record);

  async readEvents(text: string): ReturnType<Portolan['readEvents']> {
    const { temporal } = this.acting;
    return await readRunEvents(temporal, await findRun(this.sources, text));
  }

  approve = (text: string, said: ApproveRequest) => approve(this.acting, text, said);
  reject = (text: string, said: RejectRequest) => reject(this.acting, text, said);
  resume = (text: string, said: ResumeRequest) => resume(this.acting, text, said);
  cancel = (text: string, said: CancelRequest) => cancel(this.acting, text, said);

  async begin(
    start: Start,
    { requestId, attended = false, say, onPrepared, typed }: Begin,
  ): ReturnType<Portolan['begin']> {
    const prepared = await prepareStart(this.acting, start, { requestId, say, typed });
    if (!prepared) return undefined;
    onPrepared?.(prepared.takeover);
    return await beginPrepared(prepared, attended);
  }

  async lookAtRestart(text: string, from: Beginning): ReturnType<Portolan['lookAtRestart']> {
    return (await prepareRestart(this.acting, text, { from }, { isLook: true })).takeover;
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

/** A page of runs, with warnings about its source. */
export async function listRuns(
  sources: ReadContext,
  asked: Omit<PageOptions, 'onUntold'>,
): ReturnType<Portolan['listRuns']> {
  const untold: PortolanError[] = [];
  const onUntold = (why: PortolanError): void => void untold.push(why);
  const { rows, next, unread } = await runPage(sources, { ...asked, onUntold });
  const [first] = untold;
  const notes = [
    ...(sources.temporal ? [] : ['cannot reach Temporal; showing the records in the store']),
    ...(first ? [`${countOf(untold.length, 'record')} not trusted: ${oneLine(first.plainMessage)}`] : []),
  ];
  return { runs: await withQueues(sources, rows), notes, next, unread };
}
