import { z } from 'zod';
import { gateMemoKey, type GateState } from '../../model/run/gate';

const gateState = z.object({
  slots: z.number(),
  holders: z.array(z.object({ runId: z.string(), since: z.string() })),
  queue: z.array(z.string()),
}) satisfies z.ZodType<GateState>;

/** What a gate shows of itself; undefined where that is of none, since anybody can start a workflow. */
export const readGateState = (memo: Record<string, unknown> | undefined): GateState | undefined =>
  gateState.safeParse(memo?.[gateMemoKey]).data;
