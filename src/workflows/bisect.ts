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
  last: account, // every item is in one list, by what the runs of its parts came to
  verdict({ state: { items, children = [] } }) {
    const open =
      (items?.failed ?? 0) + (items?.notImported ?? 0) + (items?.unaccounted ?? 0) + (items?.blocked ?? 0);
    if (open > 0 || !items || children.some(({ status }) => status === 'partial')) return 'partial';
    return items.imported > 0 ? 'succeeded' : 'nothing-to-do';
  },
};

/**
 * Finds the items with which an import fails as a whole, by halving. Each part is a sync of its own with one import,
 * so that what is not at fault is imported on the way.
 *
 * @param continued how far an earlier execution of the same search came
 */
export async function bisect(given: BisectInput, continued?: Progress): Promise<RunState> {
  const input = await admitted(given);
  // Nobody signs it: whoever starts a search cannot say how far it is.
  const isContinued = workflowInfo().continuedFromExecutionRunId !== undefined;
  return await runToEnd(new BisectRun(kind, input, isContinued ? continued : undefined), [search]);
}
