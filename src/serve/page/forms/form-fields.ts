import { z } from 'zod';
import { slotHolder } from '../../../contract/queues';
import { beginnings } from '../../../service/start/restart';

/** A form sends every field, including empty ones; surrounding spaces are dropped. */
const text = (max: number) =>
  z.preprocess(
    (given) => (typeof given === 'string' ? given.trim() || undefined : given),
    z.string().max(max).optional(),
  );
const reason = text(2_000);
/** A checkbox. */
const ticked = z
  .literal('yes')
  .optional()
  .transform((given) => given !== undefined);
const named = z.string().min(1).max(300);

/** A new ID each time a form is shown. A form sent twice starts only one run. */
const requestId = z
  .string()
  .regex(/^[\w-]{1,100}$/)
  .optional();

export const approveForm = z.object({ plan: named, portal: text(200), reason });
export const rejectForm = z.object({ plan: named, reason });
/** Corrections as typed: `KEY=VALUE`, separated by spaces. */
export const resumeForm = z.object({
  set: text(2_000).transform((given) => given?.split(/\s+/) ?? []),
  reason,
});
export const cancelForm = z.object({ now: ticked, reason });
export const retryForm = z.object({ bisect: ticked, yes: ticked, reason, requestId });
export const restartForm = z.object({ from: z.enum(beginnings), reason, requestId });
export const rollbackForm = z.object({ reason, requestId });
export const syncForm = z.object({ route: named, planOnly: ticked, reason, requestId });
export const backupForm = z.object({ full: ticked, reason, requestId });
export const restoreForm = z.object({
  snapshot: named,
  to: named,
  into: z.string().trim().min(1).max(200),
  overwrite: ticked,
  reason,
  requestId,
});
export const releaseForm = z.object({ reason, requestId });
export const promoteForm = z.object({ release: named, atSoak: ticked, hotfix: ticked, reason, requestId });
export const pauseForm = z.object({ reason });
export const slotForm = z.object({ run: named, since: slotHolder.shape.since, reason });
export const noFields = z.object({}).optional();
