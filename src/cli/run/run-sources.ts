import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { type TemporalClient, withTemporal } from '../../temporal/session';

/** Where runs are looked up. `temporal` is left out where it is out of reach: then the store alone answers. */
export interface RunSources {
  readonly config: Config;
  readonly store: Store;
  readonly temporal?: TemporalClient;
}

/** Store and Temporal, both needed: for what changes a run or follows it. */
export const withSources = <T>(
  config: Config,
  work: (sources: Required<RunSources>) => Promise<T>,
): Promise<T> =>
  withTemporal(config, (temporal) => work({ config, store: openStore(config.store), temporal }));

/** The same for looking only: where Temporal is out of reach, the store alone answers. */
export async function withReadableSources<T>(
  config: Config,
  work: (sources: RunSources) => Promise<T>,
): Promise<T> {
  try {
    return await withSources(config, work);
  } catch (thrown) {
    if (!(thrown instanceof PortolanError) || thrown.code !== 'TEMPORAL_UNREACHABLE') throw thrown;
    return work({ config, store: openStore(config.store) }).catch((inStore: unknown) => {
      // What the store does not hold, Temporal may.
      throw inStore instanceof PortolanError && inStore.code === 'RUN_NOT_FOUND' ? thrown : inStore;
    });
  }
}

export const notFound = (runId: string): PortolanError =>
  new PortolanError('RUN_NOT_FOUND', `There is no run "${runId}".`);
