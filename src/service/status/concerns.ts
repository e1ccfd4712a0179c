import { addressOfRun } from '../../config/page-address';
import type { StatusView } from '../../contract/status';
import { exitStatus, meaningOf } from '../../model/errors/error-codes';
import { countOf, listFirst } from '../../model/text/words';

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
      'a rule leaves groups without a good backup',
      view.rules.map(ruleOf),
      'rules with groups that are not backed up',
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
const run = ({ runId }: StatusView['running'][number]): Concern['about'][number] => ({
  text: runId,
  href: addressOfRun(runId),
});
const backup = (route: string): Concern['about'][number] => ({
  text: route,
  href: `/backups/${encodeURIComponent(route)}`,
});
const ruleOf = ({ rule, failed, overdue }: StatusView['rules'][number]): Concern['about'][number] => ({
  text: [rule, ...listFirst(failed, 3), ...(overdue > 0 ? [`${overdue} overdue`] : [])].join(', '),
  href: '/coverage',
});
const freezeOf = ({ portal }: StatusView['frozen'][number]): Concern['about'][number] => {
  const [pipeline = '', ...stage] = portal.split('/');
  return {
    text: portal,
    href: stage.length === 0 ? '/audit' : `/pipelines/${encodeURIComponent(pipeline)}`,
  };
};
const schedule = (text: string): Concern['about'][number] => ({ text, href: '/schedules' });

/** The most severe concern; undefined if nothing needs attention. */
export const concernOf = (view: StatusView): Concern | undefined => concernsOf(view)[0];
