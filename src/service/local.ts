import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config';
import type { Portolan } from '../contract/contract';
import type { Needs } from '../contract/operation';
import { PortolanError } from '../model/errors/errors';
import { rights } from '../model/rights';
import { openStore } from '../store/open-store';
import { fromTemporal, openTemporal, type TemporalClient } from '../temporal/connection';
import type { Sources } from './call';
import { operationsOf } from './operations';
import { inStoreAlone, type ReadContext } from './run/run-sources';
import { whoTypes } from './run/who';

/** Works with store and Temporal of a configuration, as the local user. */
export async function withLocal<T>(config: Config, work: (portolan: Portolan) => Promise<T>): Promise<T> {
  const sources = new LocalSources(config);
  try {
    return await work(portolanOf(config, sources));
  } finally {
    await sources.close();
  }
}

/** Works with what is open already. */
export const portolanWith = (context: Required<ReadContext>): Portolan =>
  portolanOf(context.config, { config: context.config, open: (_needs, work) => work(context) });

function portolanOf(config: Config, sources: Sources): Portolan {
  const caller = { ...whoTypes(), rights };
  const workerLog = path.join(config.temporal.state, 'worker.log');
  return {
    ...operationsOf(sources, { caller }),
    place: { label: 'config', words: config.path },
    workerLog: existsSync(workerLog) ? workerLog : undefined,
  };
}

/** Connects to Temporal when an operation first needs it. */
class LocalSources implements Sources {
  private readonly store;
  private temporal: Promise<TemporalClient> | undefined;

  constructor(readonly config: Config) {
    this.store = openStore(config);
  }

  async open<T>(needs: Needs, work: (found: ReadContext) => Promise<T>): Promise<T> {
    const { config, store } = this;
    if (needs === 'store') return await work({ config, store });
    try {
      const temporal = await (this.temporal ??= openTemporal(config));
      return await work({ config, store, temporal });
    } catch (thrown) {
      const { address, namespace } = config.temporal;
      const error = fromTemporal(thrown, address, namespace);
      if (needs === 'temporal' || !(error instanceof PortolanError) || error.code !== 'TEMPORAL_UNREACHABLE')
        throw error;
      return await inStoreAlone(error, () => work({ config, store }));
    }
  }

  async close(): Promise<void> {
    const temporal = await this.temporal?.catch(() => undefined);
    await temporal?.connection.close();
  }
}
