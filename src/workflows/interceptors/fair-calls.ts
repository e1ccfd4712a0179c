import { workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';

/** Higher priority than the default, 3. */
const BEFORE_OTHERS = 1;

/**
 * People wait for rollbacks and restores. Restores inside a promotion do not count: there may be hundreds, which would
 * block everyone else. No run has lower priority, because a starved backup would hold a slot others wait for.
 */
function isBroughtBack(): boolean {
  const { workflowType, parent } = workflowInfo();
  return workflowType === 'rollback' || (workflowType === 'restore' && parent === undefined);
}

/**
 * Sets the portal as the fairness key of each activity, so that portals take turns on servers with fairness: two
 * activities for one portal do not wait behind two hundred for another. Activities without a portal share one key.
 * Rollbacks and restores come first. Other servers run activities in order.
 *
 * Replay does not compare priorities, so runs started without them continue.
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

/** Input fields that name a portal. If there are two, the one that may be written to comes first. */
const FIELDS = ['portal', 'target', 'end', 'source', 'facts', 'asked', 'task', 'route'] as const;
type Given = Readonly<Record<string, unknown>>;

/** Name of the portal in an activity's input: `name` of portal facts, `portal` of a route's source or target. */
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

/** Routes and layer targets have names too, but not of a portal. */
const isFacts = (value: Given): boolean => 'portalId' in value && 'aliases' in value;
