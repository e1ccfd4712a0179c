import type { Signed } from './signature';

/**
 * A portal queue limits how many runs export from, or import into, one portal at a time. It is a workflow of its own, and
 * not a Temporal task queue. Its memo lists the runs, is read without a worker, and is written before a run is told.
 */
export const directions = ['export', 'import'] as const;
export type Direction = (typeof directions)[number];

/** One direction of one portal, for the workers of one configuration. */
export interface PortalQueueAddress {
  /** Names of portals belong to a configuration, and all that have it poll one task queue. */
  readonly taskQueue: string;
  /** Name in portolan.yaml. */
  readonly portal: string;
  readonly direction: Direction;
}

/** Workflow id of a portal queue, such as `portal-queue/portolan/production/import`. */
export const portalQueueId = ({ taskQueue, portal, direction }: PortalQueueAddress): string =>
  `portal-queue/${taskQueue}/${portal}/${direction}`;

/** The address in the id of a portal queue; undefined for any other id. */
export function parsePortalQueueId(id: string): PortalQueueAddress | undefined {
  const [, taskQueue, portal, direction] = /^portal-queue\/(.+)\/([^/]+)\/(export|import)$/.exec(id) ?? [];
  return taskQueue && portal && direction
    ? { taskQueue, portal, direction: direction as Direction }
    : undefined;
}

export interface SlotHolder {
  readonly runId: string;
  /** Since when it holds its slot, ISO. */
  readonly since: string;
}

/** Runs that hold a slot and runs that wait, in the order in which they asked. */
export interface PortalQueueState {
  readonly slots: number;
  readonly holders: readonly SlotHolder[];
  /** Waiting runs, the next one first. */
  readonly waiting: readonly string[];
}

/** Argument of the signal `ask`. Asking twice is asking once. */
export interface SlotRequest {
  readonly runId: string;
  /** How many runs may hold a slot at a time, by the configuration of the run that asks last. */
  readonly slots: number;
}

/** Second argument of the run's signal `granted`, after the id of the portal queue. */
export interface SlotGrant {
  /** The same however often the portal queue says it. */
  readonly id: string;
  /** A slot was free when the run asked. */
  readonly foundFree: boolean;
}

/** Argument of the signal `release`: an operator frees a run's slot. */
export interface SlotRelease extends Signed {
  readonly runId: string;
  /** Since when the run has held the slot: a release never takes a later one. */
  readonly since: string;
  readonly who: string;
  readonly reason: string;
}

/** Argument of the run's signal `slotReleased`. */
export interface SlotReleased {
  readonly queueId: string;
  readonly who: string;
  readonly reason: string;
  /** The release as it was signed. */
  readonly release: SlotRelease;
}

/** A portal queue that was ended from outside does not signal: asking again is asking once. Each pause is twice the one before. */
export const ASK_AGAIN_FIRST_MS = 60_000;
export const ASK_AGAIN_LATER_MS = 10 * 60_000;

export const portalQueueWorkflow = 'portalQueue';
export const portalQueueMemoKey = 'portolanQueue';
/** Names of the messages to a portal queue. */
export const portalQueueMessages = {
  ask: 'ask',
  leave: 'leave',
  release: 'release',
  state: 'state',
} as const;
