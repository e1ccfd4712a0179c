import { z } from 'zod';
import { runStatuses } from '../../model/run/phase';
import { planActions } from '../../model/transfer/plan';

/** A form sends every field, including empty ones. */
const orEmpty = <T extends z.ZodType>(value: T) =>
  z.preprocess((given) => (given === '' ? undefined : given), value.optional());

const cursor = z
  .string()
  .regex(/^\d{1,16}$/, 'is not a valid cursor')
  .transform(Number);
const first = z.coerce.number().int().min(0).max(10_000_000).default(0);
const name = z.string().max(300);

export const runParams = z.object({ run: name.min(1) });
export const routeParams = z.object({ route: name.min(1) });
export const ruleParams = z.object({ rule: name.min(1) });
export const pipelineParams = z.object({ pipeline: name.min(1) });
export const stageParams = pipelineParams.extend({ stage: name.min(1) });
export const itemParams = z.object({ item: name.min(1) });
/** Names the page whose form starts a run. */
export const startParams = z.object({ run: name, route: name, pipeline: name }).partial();
export const scheduleParams = z.object({ schedule: name.min(1) });

export const runsQuery = z.object({
  route: orEmpty(z.string().max(200)),
  status: orEmpty(z.enum(runStatuses)),
  before: orEmpty(z.string().max(16)),
});

export const runQuery = z.object({
  action: orEmpty(z.enum(['changed', 'all', ...planActions])),
  search: orEmpty(z.string().max(200)),
  from: first,
  did: orEmpty(name),
});

export const eventsQuery = z.object({ from: first });
export const auditQuery = z.object({ before: orEmpty(cursor) });
export const pipelineQuery = z.object({ drift: orEmpty(z.literal('1')), did: orEmpty(name) });
export const didQuery = z.object({ did: orEmpty(name) });
export const itemsQuery = z.object({
  search: orEmpty(z.string().max(200)),
  after: orEmpty(z.string().max(400)),
});
export const itemQuery = z.object({ portal: orEmpty(z.string().max(63)) });
