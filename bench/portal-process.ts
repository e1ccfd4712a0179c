import type { SimulatorOptions } from '../src/simulator/options';
import { startSimulator } from '../src/simulator/simulator';
import { serve } from './child';

/** A simulated portal in a process of its own, as a real one would be. */
const portal = {
  start: async (options: SimulatorOptions): Promise<{ url: string }> => ({
    url: (await startSimulator(options)).url,
  }),
};
export type PortalProcess = typeof portal;

serve(portal);
