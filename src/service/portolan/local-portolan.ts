import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import { countOf } from '../../model/text/words';
import { openStore } from '../../store/open-store';
import { portolanWith } from '../local';
import { findRun } from '../run/find-run';
import { readRunEvents } from '../run/run-events';
import { type PageOptions, runPage, withQueues } from '../run/run-rows';
import { type WriteContext, type ReadContext, withReadableSources, withSources } from '../run/run-sources';
import { whoTypes } from '../run/who';
import type { Portolan } from './portolan';

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
  constructor(private readonly sources: ReadContext) {}

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

  async listRuns(asked: Omit<PageOptions, 'onUntold'>): ReturnType<Portolan['listRuns']> {
    return await listRuns(this.sources, asked);
  }

  async readEvents(text: string): ReturnType<Portolan['readEvents']> {
    const { temporal } = this.acting;
    return await readRunEvents(temporal, await findRun(this.sources, text));
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
