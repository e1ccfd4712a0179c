import { z } from 'zod';
import { type IntendedWrite, writerOf } from '../../model/run/policy';
import type { ReceivedStart } from '../../model/run/signature';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { notAuthentic } from './control';

/**
 * A start that was let in, as the store keeps it: signed, so that nobody who writes there can make one up. What was
 * signed stays as it is, in the order of its keys.
 */
export const admittedStart = z.object({
  execution: z.string(),
  workflowType: z.string(),
  input: z.custom<ReceivedStart['input']>(isObject),
  /** Since when the run is over, and nothing is written or removed for it any more. */
  endedAt: z.string().optional(),
});
export type AdmittedStart = z.infer<typeof admittedStart>;

/** What counts of an input, once it is known to be signed. */
export const signedInput = z.object({
  startedBy: z.string().default(''),
  yes: z.boolean().default(false),
  import: z.boolean().default(false),
  parent: z.string().optional(),
  route: z.unknown().optional(),
  portal: z.unknown().optional(),
});

const ids = z.array(z.string()).optional();
const end = z.object({ portal: z.string(), groupId: z.string() });
const route = z.object({
  name: z.string(),
  source: end,
  target: end.optional(),
  options: z.object({
    approval: z.enum(['none', 'ask', 'required']),
    overwrite: z.boolean(),
    data: z.enum(['keep', 'replace']),
    take: z.array(z.string()).optional(),
    allowShrink: z.boolean().optional(),
    exclude: z.object({ items: ids, types: ids, tags: ids }).optional(),
  }),
});
const changedPortal = z.object({ portal: z.string() });

/** What a run writes, by what it was started with. */
export function intendedBy({ workflowType, input: given }: AdmittedStart): IntendedWrite {
  const input = signedInput.parse(given);
  const writer = writerOf(workflowType, input.import);
  const change = changedPortal.safeParse(input.portal);
  if (change.success) return { writer, target: { portal: change.data.portal } };
  const { name, source, target, options } = route.parse(input.route);
  if (!target) throw notAuthentic('a backup writes nothing');
  const { approval, ...latitude } = options;
  return { writer, route: name, source, target, approval, options: latitude };
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Notes that a run is over: what was signed for it is used up. */
export async function noteEnd(store: Store, runId: string): Promise<void> {
  const start = await store.readJson(keys.start(runId), admittedStart);
  if (!start || start.endedAt !== undefined) return;
  await store.writeJson(keys.start(runId), { ...start, endedAt: new Date().toISOString() });
}
