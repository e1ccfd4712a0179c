import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { openStore } from '../../store/open-store';
import type { RunSources } from './read-run';
import { withTemporal } from '../../temporal/session';

/** Store and Temporal, both needed: for what changes a run or follows it. */
export const withSources = <T>(
  config: Config,
  work: (sources: RunSources & Required<Pick<RunSources, 'temporal'>>) => Promise<T>,
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
