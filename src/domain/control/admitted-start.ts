import { z } from 'zod';
import { type IntendedWrite, writerOf } from '../../model/run/policy';
import type { ReceivedStart } from '../../model/run/signature';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { notAuthentic } from './control';

/**
 * An accepted start, stored with a signature so that no one with access to the store can forge one. Signed data is
 * kept unchanged, in its key order.
 */
export const admittedStart = z.object({
  execution: z.string(),
  workflowType: z.string(),
  input: z.custom<ReceivedStart['input']>(isObject),
  /** When the run ended; nothing is written or deleted for it after that. */
  endedAt: z.string().optional(),
});
export type AdmittedStart = z.infer<typeof admittedStart>;

/** The relevant fields of a signed input. */
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

/** What a run writes, by its start options. */
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

/** Records that a run has ended: its signed start is used up. */
export async function noteEnd(store: Store, runId: string): Promise<void> {
  const start = await store.readJson(keys.start(runId), admittedStart);
  if (!start || start.endedAt !== undefined) return;
  await store.writeJson(keys.start(runId), { ...start, endedAt: new Date().toISOString() });
}
