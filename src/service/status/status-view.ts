import { z } from 'zod';
import { addressOfRun } from '../../config/page-address';
import { exitStatus, meaningOf } from '../../model/errors/error-codes';
import { countOf } from '../../model/text/words';
import { type RunRow, runRow } from '../run/run-view';

/** What a worker lacks: a secret, or this configuration's store and portals. */
export const unableCodes = ['SECRET_UNREADABLE', 'CONFIG_MISMATCH'] as const;

const lastGood = z.object({
  id: z.string(),
  takenAt: z.string(),
  confirmedAt: z.string().optional().describe('when its group was last found unchanged'),
  goodAt: z.string().optional().describe('when its age starts; absent if unknown'),
  ahead: z.literal(true).optional().describe('dated in the future, so its age is unknown'),
});

const freeze = z.object({
  portal: z.string().describe('portal or `PIPELINE/STAGE` in portolan.yaml'),
  who: z.string(),
  at: z.number().describe('milliseconds since 1970'),
  reason: z.string(),
});

const nextStart = z.object({
  schedule: z.string(),
  kind: z.string(),
  route: z.string().optional(),
  at: z.string(),
});
export type NextStart = z.infer<typeof nextStart>;

/** The status, on one screen. */
export const statusView = z.object({
  temporal: z.object({ address: z.string(), answers: z.boolean() }),
  workers: z.array(z.string()).describe('workers that take tasks; none if Temporal cannot be reached'),
  unable: z
    .object({ code: z.enum(unableCodes), message: z.string(), hint: z.string() })
    .optional()
    .describe('what the workers cannot do for this configuration, and how to fix it'),
  running: z.array(runRow),
  waiting: z.array(runRow).describe('runs waiting for approval'),
  parked: z.array(runRow).describe('parked runs'),
  failed: z.array(runRow).describe('runs that failed or ended partial in the last 24 hours'),
  overdue: z
    .array(z.object({ route: z.string(), lastGood: lastGood.optional(), maxAgeMs: z.number().optional() }))
    .describe('routes whose last good snapshot is older than their `maxAge`'),
  unproven: z.array(z.string()).describe('routes with `maxAge` and a good snapshot, but no proven one'),
  frozen: z.array(freeze).describe('portals and stages that are frozen'),
  backedUp: z
    .object({
      routes: z.number().describe('routes with a good snapshot of known age'),
      oldestAt: z
        .string()
        .optional()
        .describe('when the oldest of their last good snapshots was taken or confirmed'),
    })
    .optional()
    .describe('of the routes with `maxAge`; absent if there are none'),
  next: z.array(nextStart).describe('next starts, soonest first'),
  paused: z.array(z.string()).describe('paused schedules that portolan.yaml does not pause'),
  unapplied: z.array(z.string()).describe('schedules that differ between portolan.yaml and the server'),
  notes: z.array(z.string()).describe('what could not be checked, and why'),
});
export type StatusView = z.infer<typeof statusView>;

/** Something that needs attention. */
export interface Concern {
  readonly exit: number;
  readonly words: string;
  /** Heads the list of its subjects. */
  readonly title: string;
  /** Its subjects, each with its page in the web UI. */
  readonly about: readonly { readonly text: string; readonly href: string }[];
}

/** Everything that needs attention, most severe first. */
export function concernsOf(view: StatusView): Concern[] {
  const { temporal, workers, unable, overdue, failed, unproven, notes, parked, waiting } = view;
  const { frozen, paused, unapplied } = view;
  const { noTemporal, partial, waiting: waits } = exitStatus;
  const of = (exit: number, words: string, about: Concern['about'], title = words): Concern[] =>
    about.length === 0 ? [] : [{ exit, words, title, about }];
  const away = temporal.answers
    ? of(noTemporal, 'no worker is running', workers.length === 0 ? here('see above') : [])
    : of(noTemporal, 'cannot reach Temporal', here(temporal.address));
  return [
    ...away,
    ...(unable ? of(meaningOf(unable.code).exit, 'a worker cannot do its work', here(unable.code)) : []),
    ...of(
      partial,
      'a backup is overdue',
      overdue.map(({ route }) => backup(route)),
      'overdue backups',
    ),
    ...of(
      partial,
      `${countOf(failed.length, 'run')} failed or ended partial in the last 24 hours`,
      failed.map(run),
    ),
    ...of(
      partial,
      'a backup was never proven by a drill',
      unproven.map(backup),
      'backups never proven by a drill',
    ),
    ...of(partial, 'something could not be checked', notes.flatMap(here), 'not checked'),
    ...of(waits, 'a run is parked', parked.map(run), 'parked runs'),
    ...of(waits, 'a run waits for approval', waiting.map(run), 'waiting for approval'),
    ...of(waits, 'writes are frozen', frozen.map(freezeOf)),
    ...of(waits, 'a schedule is paused', paused.map(schedule), 'paused schedules'),
    ...of(waits, 'schedules differ from portolan.yaml', unapplied.map(schedule)),
  ];
}

const here = (text: string): Concern['about'] => [{ text, href: '/' }];
const run = ({ runId }: RunRow): Concern['about'][number] => ({ text: runId, href: addressOfRun(runId) });
const backup = (route: string): Concern['about'][number] => ({
  text: route,
  href: `/backups/${encodeURIComponent(route)}`,
});
const freezeOf = ({ portal }: z.infer<typeof freeze>): Concern['about'][number] => {
  const [pipeline = '', ...stage] = portal.split('/');
  return {
    text: portal,
    href: stage.length === 0 ? '/audit' : `/pipelines/${encodeURIComponent(pipeline)}`,
  };
};
const schedule = (text: string): Concern['about'][number] => ({ text, href: '/schedules' });

/** The most severe concern; undefined if nothing needs attention. */
export const concernOf = (view: StatusView): Concern | undefined => concernsOf(view)[0];
