import { z } from 'zod';
import { portalQueueMemoKey, type PortalQueueState } from '../../model/run/portal-queue';

const portalQueueState = z.object({
  slots: z.number(),
  holders: z.array(z.object({ runId: z.string(), since: z.string() })),
  waiting: z.array(z.string()),
}) satisfies z.ZodType<PortalQueueState>;

/** What the memo of a portal queue says; undefined for any other memo, since anybody can start a workflow. */
export const readPortalQueueState = (
  memo: Record<string, unknown> | undefined,
): PortalQueueState | undefined => portalQueueState.safeParse(memo?.[portalQueueMemoKey]).data;
