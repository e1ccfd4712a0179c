import type { SimulatorOptions } from '../src/simulator/options';
import { startSimulator } from '../src/simulator/simulator';
import { serve } from './child';
import { openLine } from './line';

/** A simulated portal in a process of its own, as a real one would be. */
const portal = {
  start: async (options: SimulatorOptions): Promise<{ url: string }> => ({
    url: (await startSimulator(options)).url,
  }),

  /** @returns the portal's address over a limited line */
  line: openLine,
};
export type PortalProcess = typeof portal;

/**
 * Right after its start the heap is so small that every 20 MB of a package have Node collect its garbage, which costs
 * it twice the transfer. A portal that is measured has the heap of one that has been up for a while.
 */
export const GROWN_HEAP = ['--initial-heap-size=256'];

serve(portal);
