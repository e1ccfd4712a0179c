import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import type { Authority } from '../../domain/control/authority';
import { notAuthentic } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import { deliveryWorkflow } from '../../model/hook/delivery';
import type { ReceivedStart } from '../../model/run/signature';
import { watchWorkflow } from '../../model/snapshot/watch-age';

/** Called by portal queues, whose start is not authenticated. It only checks whether a run is open. */
const FOR_EVERYBODY: ReadonlySet<string> = new Set(['watchRun']);
/** Called by the watch over snapshot ages, which belongs to no run. */
const FOR_WATCHES: ReadonlySet<string> = new Set(['lookAtAges', 'notify', 'noteAge']);
/** How many verified executions are remembered. */
const KNOWN_MAX = 10_000;

/**
 * Checks who calls an activity, because any workflow of the namespace can use Portolan's task queue. Authenticated runs
 * may, for themselves. Local activities need no check: they come from the same worker.
 */
export class Callers {
  private readonly runs = new Set<string>();

  constructor(private readonly authority: Pick<Authority, 'startOf' | 'verifyWatch' | 'verifyDelivery'>) {}

  /** Throws NOT_AUTHENTIC. */
  async require({ info, client }: Pick<Context, 'info' | 'client'>, given: unknown): Promise<void> {
    const { activityType, workflowExecution, isLocal } = info;
    if (isLocal || FOR_EVERYBODY.has(activityType)) return;
    if (!workflowExecution) throw notAuthentic(`${activityType} was called outside a run`);
    const { workflowId, runId: execution } = workflowExecution;
    if (FOR_WATCHES.has(activityType) && info.workflowType === watchWorkflow)
      return await this.authority.verifyWatch(await firstEvent());
    if (activityType === 'deliver') {
      const start = await firstEvent();
      await this.authority.verifyDelivery(start);
      if (info.workflowType === deliveryWorkflow && isDeepStrictEqual(given, start.input)) return;
      throw notAuthentic(`deliver was called by ${workflowId} for a message other than the signed one`);
    }
    const caller = `${execution} ${workflowId}`;
    if (!this.runs.has(caller)) {
      const start = await this.authority.startOf(workflowId);
      // A continued execution, as of a long bisect, names the first one in its first event.
      const isSame = start.execution === execution || start.execution === (await firstEvent()).execution;
      if (!isSame) throw notAuthentic(`${activityType} was called by an execution that was not accepted`);
      if (this.runs.size >= KNOWN_MAX) this.runs.clear();
      this.runs.add(caller);
    }
    const { runId = workflowId } = (given ?? {}) as { readonly runId?: unknown };
    if (runId !== workflowId)
      throw notAuthentic(`${activityType} was called by ${workflowId} for another run`);

    async function firstEvent(): Promise<ReceivedStart> {
      const { history } = await client.workflowService.getWorkflowExecutionHistory({
        ...{ namespace: info.workflowNamespace ?? info.namespace, maximumPageSize: 1 },
        execution: { workflowId, runId: execution },
      });
      const [first] = history?.events ?? [];
      const started = first?.workflowExecutionStartedEventAttributes;
      const { loadedDataConverter: converter } = client.options;
      const input = await decodeFromPayloadsAtIndex<unknown>(converter, 0, started?.input?.payloads).catch(
        unlessOurs,
      );
      return {
        workflowId,
        workflowType: started?.workflowType?.name ?? '',
        execution: started?.firstExecutionRunId ?? '',
        input: typeof input === 'object' && input !== null ? input : {},
      };
    }
  }
}

/** Any workflow can have unreadable input, which only means that it is not authentic. A missing key is Portolan's error. */
function unlessOurs(thrown: unknown): undefined {
  if (thrown instanceof PortolanError) throw thrown;
}

/**
 * Throws NOT_AUTHENTIC unless called as a local activity. Other workflows of the namespace can reach the task queue, but
 * not call local activities.
 */
export function requireLocal(): void {
  if (!Context.current().info.isLocal) throw notAuthentic('only a workflow on the same worker can call this');
}

/** Checks the caller before every activity. */
export class CallerInterceptor implements ActivityInboundCallsInterceptor {
  constructor(
    private readonly context: Context,
    private readonly callers: Callers,
  ) {}

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, 'execute'>,
  ): Promise<unknown> {
    await this.callers.require(this.context, input.args[0]);
    return await next(input);
  }
}
