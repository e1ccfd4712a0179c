import { workflowInfo } from '@temporalio/workflow';
import type { BisectInput } from '../model/run/bisect';
import type { RunState } from '../model/run/run-state';
import { account } from './bisect/account';
import { BisectRun, type Progress } from './bisect/bisect-run';
import { search } from './bisect/search';
import type { Kind } from './run/phase';
import { admitted } from './run/authenticate';
import { runToEnd } from './run/run-to-end';

const kind: Kind<BisectRun> = {
  name: 'bisect',
  bindsTask: true,
  notifies: true,
  last: account, // merges the results of the child runs
  verdict({ state: { items, children = [] } }) {
    const open =
      (items?.failed ?? 0) + (items?.notImported ?? 0) + (items?.unaccounted ?? 0) + (items?.blocked ?? 0);
    if (open > 0 || !items || children.some(({ status }) => status === 'partial')) return 'partial';
    return items.imported > 0 ? 'succeeded' : 'nothing-to-do';
  },
};

/**
 * Finds the items that make an import fail, by halving. Each part is a sync with one import, which imports the good
 * items on the way.
 *
 * @param continued progress of the execution it continues
 */
export async function bisect(given: BisectInput, continued?: Progress): Promise<RunState> {
  const input = await admitted(given);
  // Progress is not signed, so a starter could claim any; only a continued execution may have some.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  return await runToEnd(new BisectRun(kind, input, isContinued ? continued : undefined), [search]);
}
