import { PortalFault } from '../errors';
import type { World } from '../world';

/** How a job reports its progress. */
export interface JobProgress {
  readonly jobId: string;
  /** Aborts when the portal is closed. */
  readonly signal: AbortSignal;
  say(...messages: string[]): void;
  /** Waits this share of the minimum job duration. */
  pause(share: number): Promise<void>;
}

/** Free space every export and import needs. @format gigabytes */
const leastFreeGb = 10;

/** @throws PortalFault 500 if the content store lacks space */
export function checkSpace(world: World): void {
  if (world.settings.freeGb >= leastFreeGb) return;
  throw new PortalFault(
    500,
    `Not enough disk space: at least ${leastFreeGb} GB must be free in the content store.`,
  );
}

/** No export makes, and no import accepts, a package beyond the limit. */
export const tooLarge = (world: World): PortalFault =>
  new PortalFault(500, `The export package exceeds the limit of ${world.settings.maxPackageBytes} bytes.`);
