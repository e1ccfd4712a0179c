import { workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';

/** Before the server's own, 3. */
const BEFORE_OTHERS = 1;

/**
 * Somebody stands beside what is brought back. The groups of a promotion are restores too, hundreds of them, which would
 * keep everybody else out. Nothing stands behind others: a backup that begins to starve holds a place that others wait for.
 */
function isBroughtBack(): boolean {
  const { workflowType, parent } = workflowInfo();
  return workflowType === 'rollback' || (workflowType === 'restore' && parent === undefined);
}

/**
 * Gives each call the portal that it goes to as its fairness key: where calls wait for a worker, a server that has
 * fairness lets portals take turns, so that two calls to one do not stand behind two hundred to another. Calls to no
 * portal are one party of their own. Before all of them go calls of runs that bring something back. Servers without either take calls
 * in the order in which they came.
 *
 * A replay compares no priorities: a run that began without them goes on with them.
 * @see https://docs.temporal.io/develop/task-queue-priority-fairness
 */
export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        const fairnessKey = portalAsked(input.args[0]);
        const priorityKey = isBroughtBack() ? BEFORE_OTHERS : undefined;
        if (fairnessKey === undefined && priorityKey === undefined) return next(input);
        const priority = { ...input.options.priority, fairnessKey, priorityKey };
        return next({ ...input, options: { ...input.options, priority } });
      },
    },
  ],
});

/** Fields of what an activity is given under which a portal stands; of both ends, the one that may be written into. */
const FIELDS = ['portal', 'target', 'end', 'source', 'facts', 'asked', 'task', 'route'] as const;
type Given = Readonly<Record<string, unknown>>;

/** Name of the portal that an activity is given: facts of a portal have it as their name, ends of a route as their portal. */
function portalAsked(given: unknown): string | undefined {
  if (!isGiven(given)) return undefined;
  for (const field of FIELDS) {
    const found = given[field];
    if (field === 'portal' && typeof found === 'string') return found;
    if (!isGiven(found)) continue;
    const name = isFacts(found) ? found['name'] : portalAsked(found);
    if (typeof name === 'string') return name;
  }
  return undefined;
}

const isGiven = (value: unknown): value is Given => typeof value === 'object' && value !== null;

/** A route and a target of a layer have names as well, which are none of a portal. */
const isFacts = (value: Given): boolean => 'portalId' in value && 'aliases' in value;
