import type { Signed } from './proof';

/**
 * A gate lets so many runs at a time start exports, or imports, on one portal. It is a workflow of its own; what it
 * holds stands in its memo, which is read without a worker, and before anybody hears that it is in.
 */
export const directions = ['export', 'import'] as const;
export type Direction = (typeof directions)[number];

/** One direction of one portal, for the workers of one configuration. */
export interface GateAddress {
  /** Names of portals belong to a configuration, and all that have it poll one queue. */
  readonly taskQueue: string;
  /** Name in portolan.yaml. */
  readonly portal: string;
  readonly direction: Direction;
}

/** Workflow id of a gate, such as `gate/portolan/production/import`. */
export const gateId = ({ taskQueue, portal, direction }: GateAddress): string =>
  `gate/${taskQueue}/${portal}/${direction}`;

/** The address that a gate's id stands for; undefined for any other id. */
export function partsOfGateId(id: string): GateAddress | undefined {
  const [, taskQueue, portal, direction] = /^gate\/(.+)\/([^/]+)\/(export|import)$/.exec(id) ?? [];
  return taskQueue && portal && direction
    ? { taskQueue, portal, direction: direction as Direction }
    : undefined;
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
  /** Who waits, the next one first. */
  readonly queue: readonly string[];
}

/** Argument of the signal `ask`. Asking twice is asking once. */
export interface GateAsk {
  readonly runId: string;
  /** How many runs the gate lets in at a time, by the configuration of the run that asks last. */
  readonly slots: number;
}

/** Second argument of the run's signal `granted`, behind the gate's id. */
export interface GateStay {
  /** The same however often the gate says it. */
  readonly id: string;
  /** Nobody was in the way when the run asked. */
  readonly foundFree: boolean;
}

/** Argument of the update `release`: an operator takes a run's place away. */
export interface GateRelease extends Signed {
  readonly runId: string;
  /** Since when the run has held the slot: a release never takes a later one. */
  readonly since: string;
  readonly who: string;
  readonly reason: string;
}

/** Argument of the run's signal `gateReleased`. */
export interface GateReleased {
  readonly gate: string;
  readonly who: string;
  readonly reason: string;
  /** The release as it was signed. */
  readonly release: GateRelease;
}

/** A gate that somebody ended does not signal: asking again is asking once. Each pause is twice the one before. */
export const ASK_AGAIN_FIRST_MS = 60_000;
export const ASK_AGAIN_LATER_MS = 10 * 60_000;

export const gateWorkflow = 'gate';
export const gateMemoKey = 'portolanGate';
/** Names on the wire of a gate. */
export const gateMessages = { ask: 'ask', leave: 'leave', release: 'release', state: 'state' } as const;
