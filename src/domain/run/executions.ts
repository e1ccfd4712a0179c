import { z } from 'zod';
import { portalQueueMemoKey, type PortalQueueState } from '../../model/run/portal-queue';

/** Whether an execution is open; a paused one continues when it is unpaused. */
export const isOpenExecution = ({ name }: { readonly name: string }): boolean =>
  name === 'RUNNING' || name === 'PAUSED';

/** The same for Temporal's index. Servers that cannot pause refuse the name of that status. */
export const openExecutions = 'CloseTime IS NULL';

/** Of a client of Temporal, what lists runs as the server tells them: nothing of them is decoded. */
interface Listing {
  readonly options: { readonly namespace: string };
  readonly workflowService: {
    listWorkflowExecutions(request: {
      readonly namespace: string;
      readonly query: string;
      readonly nextPageToken?: Uint8Array | null;
    }): Promise<{
      readonly executions?:
        readonly { readonly execution?: { readonly workflowId?: string | null } | null }[] | null;
      readonly nextPageToken?: Uint8Array | null;
    }>;
  };
}

/**
 * Ids of the runs that a query finds. What else stands in them may be of others who share the namespace, and encrypted
 * with a key that nobody has here.
 */
export async function* listedIds(
  { options: { namespace }, workflowService }: Listing,
  query: string,
): AsyncGenerator<string> {
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await workflowService.listWorkflowExecutions({ namespace, query, nextPageToken });
    for (const { execution } of page.executions ?? []) if (execution?.workflowId) yield execution.workflowId;
    ({ nextPageToken } = page);
  } while (nextPageToken && nextPageToken.length > 0);
}

const portalQueueState = z.object({
  slots: z.number(),
  holders: z.array(z.object({ runId: z.string(), since: z.string() })),
  waiting: z.array(z.string()),
}) satisfies z.ZodType<PortalQueueState>;

/** What the memo of a portal queue says; undefined for any other memo, since anybody can start a workflow. */
export const readPortalQueueState = (
  memo: Record<string, unknown> | undefined,
): PortalQueueState | undefined => portalQueueState.safeParse(memo?.[portalQueueMemoKey]).data;
