import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { searchAttributeNames } from '../../model/run/search-attributes';

/** Ids of all runs that have not ended; undefined where Temporal is out of reach. */
export async function openRunsIfKnown(config: Config): Promise<ReadonlySet<string> | undefined> {
  const [{ withTemporal }, { isRefusedQuery }] = await Promise.all([
    import('../../temporal/session.js'),
    import('../../temporal/temporal-failure.js'),
  ]);
  const query = `${searchAttributeNames.kind} IS NOT NULL AND ExecutionStatus = 'Running'`;
  try {
    return await withTemporal(config, async ({ client }) => {
      const open = new Set<string>();
      try {
        for await (const { workflowId } of client.workflow.list({ query })) open.add(workflowId);
      } catch (thrown) {
        // A server that no worker has met yet knows neither our attributes nor any run of ours.
        if (!isRefusedQuery(thrown)) throw thrown;
      }
      return open;
    });
  } catch (thrown) {
    if (thrown instanceof PortolanError && thrown.code === 'TEMPORAL_UNREACHABLE') return undefined;
    throw thrown;
  }
}
