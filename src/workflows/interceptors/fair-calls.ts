import { workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';

/**
 * How soon calls begin that wait for a worker, by the kind of their run: the lowest first. Somebody stands beside what is
 * brought back; a backup has the night. Others have the server's own, 3.
 */
const priorityOf: ReadonlyMap<string, number> = new Map([
  ['restore', 1],
  ['rollback', 1],
  ['backup', 4],
  ['drill', 4],
  ['release', 4],
]);

/**
 * Gives each call the portal that it goes to as its fairness key: where calls wait for a worker, a server that has
 * fairness lets portals take turns, so that two calls to one do not stand behind two hundred to another. Calls to no
 * portal are one party of their own. Before that goes the priority of the run's kind. Servers without either take calls
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
        const priorityKey = priorityOf.get(workflowInfo().workflowType);
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
