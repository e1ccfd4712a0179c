import { z } from 'zod';
import { directions, type GateAddress, partsOfGateId } from '../../model/run/gate';

/** A run that is let in. */
export const gateHolder = z.object({
  runId: z.string(),
  since: z.string().describe('ISO 8601, in UTC'),
});

/** A gate as it was seen from outside: who is in, and who waits. */
export const gateView = z.object({
  taskQueue: z.string(),
  portal: z.string().describe('name in portolan.yaml'),
  direction: z.enum(directions),
  slots: z.number().describe('how many it lets in at a time'),
  holders: z.array(gateHolder).readonly(),
  queue: z.array(z.string()).readonly().describe('who waits, the next one first'),
});
export type GateView = z.infer<typeof gateView>;

/** Where a run stands in a queue. */
export const queue = z.object({
  gate: z.string().describe('workflow id of the gate'),
  position: z.number().optional().describe('from 1; absent where it was let in meanwhile'),
});
export type Queue = z.infer<typeof queue>;

/** `production/import`: a gate as people write it. */
export const gateName = (gate: string | GateAddress): string => {
  const address = typeof gate === 'string' ? partsOfGateId(gate) : gate;
  return address === undefined ? String(gate) : `${address.portal}/${address.direction}`;
};
