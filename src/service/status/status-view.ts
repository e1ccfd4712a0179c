import { z } from 'zod';
import { exitStatus, meaningOf } from '../../model/errors/error-codes';
import { runRow } from '../run/run-view';

/** What a worker lacks: a secret, or this configuration's store and portals. */
export const unableCodes = ['SECRET_UNREADABLE', 'CONFIG_MISMATCH'] as const;

const lastGood = z.object({
  id: z.string(),
  takenAt: z.string(),
  confirmedAt: z.string().optional().describe('when its group was last found as it is in it'),
  goodAt: z.string().optional().describe('from when its age counts; absent if that cannot be said'),
  ahead: z
    .literal(true)
    .optional()
    .describe('its times are ahead of our clock, so that its age cannot be said'),
});

const nextStart = z.object({
  schedule: z.string(),
  kind: z.string(),
  route: z.string().optional(),
  at: z.string(),
});
export type NextStart = z.infer<typeof nextStart>;

/** How things stand, on one screen. */
export const statusView = z.object({
  temporal: z.object({ address: z.string(), answers: z.boolean() }),
  workers: z.array(z.string()).describe('who takes work; none where Temporal does not answer'),
  unable: z
    .object({ code: z.enum(unableCodes), message: z.string(), hint: z.string() })
    .optional()
    .describe(
      'why not all that this configuration names can be done by who takes work, and what to do about it',
    ),
  running: z.array(runRow),
  waiting: z.array(runRow).describe('runs that wait for an approval'),
  parked: z.array(runRow).describe('runs that wait for a correction'),
  overdue: z
    .array(z.object({ route: z.string(), lastGood: lastGood.optional(), maxAgeMs: z.number().optional() }))
    .describe('routes whose last good snapshot is older than they promise'),
  backedUp: z
    .object({
      routes: z.number().describe('routes that have a good snapshot'),
      oldestAt: z
        .string()
        .optional()
        .describe('from when the age of the oldest of their last good ones counts'),
    })
    .optional()
    .describe('how well those routes are backed up that promise it; absent where none does'),
  next: z.array(nextStart).describe('what is due next, the soonest first'),
  unapplied: z
    .array(z.string())
    .describe('schedules of portolan.yaml that the server does not have as they are there'),
  notes: z.array(z.string()).describe('what could not be looked at, and why'),
});
export type StatusView = z.infer<typeof statusView>;

/** Why somebody has to look, the gravest first; undefined where nobody has to. */
export function concernOf(view: StatusView): { readonly exit: number; readonly words: string } | undefined {
  const { temporal, workers, unable, overdue, waiting, parked } = view;
  if (!temporal.answers) return { exit: exitStatus.noTemporal, words: 'Temporal does not answer' };
  if (workers.length === 0) return { exit: exitStatus.noTemporal, words: 'no worker is up' };
  if (unable) return { exit: meaningOf(unable.code).exit, words: 'a worker cannot do its work' };
  if (overdue.length > 0) return { exit: exitStatus.partial, words: 'a backup is overdue' };
  if (parked.length > 0) return { exit: exitStatus.waiting, words: 'a run is parked' };
  return waiting.length > 0 ? { exit: exitStatus.waiting, words: 'a run waits for an approval' } : undefined;
}
