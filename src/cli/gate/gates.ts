import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import type { Config } from '../../config/config';
import {
  directions,
  gateId,
  gateMemoKey,
  type GateAddress,
  type GateState,
  partsOfGateId,
} from '../../model/run/gate';
import type { TemporalClient } from '../../temporal/session';

/** A gate as it was seen from outside: who is in, and who waits. */
export interface GateView extends GateAddress, GateState {}

const gateState = z.object({
  slots: z.number(),
  holders: z.array(z.object({ runId: z.string(), since: z.string() })),
  line: z.array(z.string()),
}) satisfies z.ZodType<GateState>;

/** Every gate of the configured portals. One that no run has come to since it was last left is empty. */
export const readGates = (
  temporal: TemporalClient,
  { portals, temporal: { taskQueue } }: Config,
): Promise<GateView[]> =>
  Promise.all(
    [...portals.values()].flatMap(({ name: portal, atOnce }) =>
      directions.map(async (direction): Promise<GateView> => {
        const slots = direction === 'export' ? atOnce.exports : atOnce.imports;
        const place = { taskQueue, portal, direction };
        return (await readGate(temporal, place)) ?? { ...place, slots, holders: [], line: [] };
      }),
    ),
  );

/** The gate as it says of itself, which needs no worker; undefined where nobody is in and nobody waits. */
export async function readGate(
  { client }: TemporalClient,
  place: GateAddress,
): Promise<GateView | undefined> {
  try {
    const { memo, status } = await client.workflow.getHandle(gateId(place)).describe();
    const state = gateState.safeParse(memo?.[gateMemoKey]);
    return status.name === 'RUNNING' && state.success ? { ...place, ...state.data } : undefined;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}

/** Where a run stands in line; the position from 1, undefined where it was let in meanwhile. */
export interface Queue {
  /** Workflow id of the gate. */
  readonly gate: string;
  readonly position?: number;
}

/** Where the run stands in line, in one of these gates; undefined where it stands in none. */
export function queueOf(runId: string, gates: readonly GateView[]): Queue | undefined {
  const gate = gates.find(({ line }) => line.includes(runId));
  return gate && { gate: gateId(gate), position: gate.line.indexOf(runId) + 1 };
}

/** `production/import`: a gate as people write it. */
export const gateName = (gate: string | GateAddress): string => {
  const place = typeof gate === 'string' ? partsOfGateId(gate) : gate;
  return place === undefined ? String(gate) : `${place.portal}/${place.direction}`;
};
