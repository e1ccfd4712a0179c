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

/** What a portal queue calls, which no one starts: it checks whether a run is open, and changes nothing. */
const FOR_EVERYBODY: ReadonlySet<string> = new Set(['watchRun']);
/** What a watch over ages has done, which is about no run. */
const FOR_WATCHES: ReadonlySet<string> = new Set(['lookAtAges', 'notify', 'noteAge']);
/** Executions that are remembered before they are asked for anew. */
const KNOWN_MAX = 10_000;

/**
 * Who may have our activities done: any workflow of the namespace can name our queue. A run that was let in may, for
 * itself. Local activities are called by workflow code of the same worker only.
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
      // One that continues another execution, as a long search does, says so in what Temporal wrote first.
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

/** Whoever starts a workflow of their own gives it what they like; a key that is missing here is no fault of theirs. */
function unlessOurs(thrown: unknown): undefined {
  if (thrown instanceof PortolanError) throw thrown;
}

/**
 * Throws NOT_AUTHENTIC where it is not a local activity that calls: any workflow of the namespace can name our queue, and
 * what it calls over that is none.
 */
export function requireLocal(): void {
  if (!Context.current().info.isLocal) throw notAuthentic('only a workflow on the same worker can call this');
}

/** Asks before every activity who has called it. */
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
