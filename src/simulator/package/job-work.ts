import { PortalFault } from '../errors';
import type { World } from '../world';

/** How a job tells what it does. */
export interface JobProgress {
  readonly jobId: string;
  /** Aborted when the portal is closed. */
  readonly signal: AbortSignal;
  say(...messages: string[]): void;
  /** Waits this share of the least time that jobs take. */
  pause(share: number): Promise<void>;
}

/** Free space that every export and import asks for. @format gigabytes */
const leastFreeGb = 10;

/** @throws PortalFault 500 where the content store is short of space */
export function checkSpace(world: World): void {
  if (world.settings.freeGb >= leastFreeGb) return;
  throw new PortalFault(
    500,
    `Not enough disk space: at least ${leastFreeGb} GB must be free in the content store.`,
  );
}

/** An export makes, and an import takes, no package beyond the limit. */
export const tooLarge = (world: World): PortalFault =>
  new PortalFault(500, `The export package exceeds the limit of ${world.settings.maxPackageBytes} bytes.`);
