/**
 * A gate lets so many runs at a time start exports, or imports, on one portal. It is a workflow of its own; what it
 * holds stands in its memo, which is read without a worker.
 */
export const directions = ['export', 'import'] as const;
export type Direction = (typeof directions)[number];

/** Workflow id of a gate. The portal is the name in portolan.yaml. */
export const gateId = (portal: string, direction: Direction): string => `gate/${portal}/${direction}`;

/** The portal and direction of a gate's id; undefined for any other id. */
export function partsOfGateId(id: string): { portal: string; direction: Direction } | undefined {
  const [, portal, direction] = /^gate\/(.+)\/(export|import)$/.exec(id) ?? [];
  return portal && direction ? { portal, direction: direction as Direction } : undefined;
}

export interface GateHolder {
  readonly runId: string;
  /** When it was let in, ISO. */
  readonly since: string;
}

/** Who is in and who waits, in the order in which they came. */
export interface GateState {
  readonly slots: number;
  readonly holders: readonly GateHolder[];
  readonly line: readonly string[];
}

/** Argument of the signal `ask`. Asking twice is asking once. */
export interface GateAsk {
  readonly runId: string;
  /** How many runs the gate lets in at a time, by the configuration of the run that asks last. */
  readonly slots: number;
}

/** Argument of the update `release`: an operator takes a run's place away. */
export interface GateRelease {
  readonly runId: string;
  readonly who: string;
  readonly reason: string;
}

/** Argument of the run's signal `gateReleased`. */
export interface GateReleased {
  readonly gate: string;
  readonly who: string;
  readonly reason: string;
}

export const gateWorkflow = 'gate';
export const gateMemoKey = 'portolanGate';
/** Names on the wire of a gate. */
export const gateMessages = { ask: 'ask', leave: 'leave', release: 'release', state: 'state' } as const;
