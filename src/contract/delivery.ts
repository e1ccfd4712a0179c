import { z } from 'zod';

/** What became of an answer to a run or a portal queue, as far as it is known. */
export const delivery = z.object({
  taken: z.boolean().describe('false if no worker has received it yet; it is saved and waits for one'),
  answer: z.string().optional().describe('response of the run'),
  unanswered: z.string().optional().describe('why the run has not responded yet'),
});
export type Delivery = Readonly<z.infer<typeof delivery>>;
