import type { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { Authority } from '../../domain/control/authority';
import { notAuthentic } from '../../domain/control/control';
import { deliveryWorkflow } from '../../model/run/notification';
import type { Signed } from '../../model/run/signature';
import { watchWorkflow } from '../../model/snapshot/watch-age';

/** Called by portal queues, whose start is not authenticated. It only checks whether a run is open. */
const FOR_EVERYBODY: ReadonlySet<string> = new Set(['watchRun']);
/** Called by the watch over snapshot ages, which belongs to no run. It passes its signed input along. */
const FOR_WATCHES: ReadonlySet<string> = new Set(['lookAtAges', 'notify', 'noteAge']);
/** How many verified executions are remembered. */
const KNOWN_MAX = 10_000;

/** The parts of an activity's input that say for whom it is. */
type Given = Signed & { readonly runId?: string; readonly watch?: Signed };

/**
 * Checks who calls an activity, because any workflow of the namespace can use Portolan's task queue. An open run may, for
 * itself. Local activities need no check: they come from the same worker.
 */
export class Callers {
  private readonly open = new Set<string>();

  constructor(
    private readonly authority: Pick<Authority, 'requireOpen' | 'verifyWatch' | 'verifyDelivery'>,
  ) {}

  /** Throws NOT_AUTHENTIC. */
  async require({ info }: Pick<Context, 'info'>, given: Given = {}): Promise<void> {
    const { activityType, workflowExecution, workflowType = '', isLocal } = info;
    if (isLocal || FOR_EVERYBODY.has(activityType)) return;
    const { workflowId = '', runId: execution = '' } = workflowExecution ?? {};
    if (workflowType === watchWorkflow && FOR_WATCHES.has(activityType))
      return await this.authority.verifyWatch({ workflowType, workflowId, input: given.watch ?? {} });
    if (workflowType === deliveryWorkflow && activityType === 'deliver')
      return await this.authority.verifyDelivery({ workflowType, workflowId, input: given });
    const caller = `${execution} ${workflowId}`;
    if (!this.open.has(caller)) await this.authority.requireOpen(workflowId);
    if (this.open.size >= KNOWN_MAX) this.open.clear();
    this.open.add(caller);
    const { runId = workflowId } = given;
    if (runId !== workflowId)
      throw notAuthentic(`${activityType} was called by ${workflowId} for another run`);
  }
}

/** Checks the caller before every activity. */
export const callerInterceptor = (callers: Callers, context: Context): ActivityInboundCallsInterceptor => ({
  async execute(input, next) {
    await callers.require(context, Object(input.args[0]) as object);
    return await next(input);
  },
});
