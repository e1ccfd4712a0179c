import { z } from 'zod';
import { guardResult } from '../../model/run/run';

/** Results of all preflight checks of a route, a pipeline, or every portal. */
export const examined = z.object({
  of: z.enum(['route', 'pipeline', 'portals']),
  name: z.string().optional().describe('route or pipeline'),
  results: z.array(guardResult).readonly(),
});
export type Examined = z.infer<typeof examined>;
