import type { Delivery } from '../../../contract/delivery';
import type { PhaseName } from '../../../model/run/phase';
import { parsePortalQueueId } from '../../../model/run/portal-queue';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import type { Value } from '../../../model/text/sheet';
import { portalsOf } from '../../../model/text/words';
import { act, type Session } from '../../terminal/act';
import { Command } from '@commander-js/extra-typings';
import { argumentHelp, reasonArgument, repeated } from '../../terminal/arguments';
import { changeKeys, parseRouteChange } from '../../../config/route-change';
import { examples } from '../../terminal/help';

/** The result of a decision: the object for programs, and the text for people. */
interface Answered {
  readonly shown: Delivery & { readonly runId: string };
  /** Text once the run has confirmed the decision. */
  readonly words: (answer: string) => string;
  /** What else can be typed. */
  readonly also?: readonly [string, Value];
  /** The next command. @default watch */
  readonly next?: 'watch' | 'show';
}

/** Sends a decision to a run and prints its result, or that it is still pending. */
export const answering = <Given extends unknown[]>(
  answer: (session: Session, ...given: Given) => Promise<Answered>,
): ((...given: Given) => Promise<void>) =>
  act(async (session: Session, ...given: Given) => {
    const { shown, words, also, next = 'watch' } = await answer(session, ...given);
    const command = `portolan run ${next} ${shortRunId(shown.runId)}`;
    session.output.show(shown, () => [
      {
        title: shown.unanswered ?? words(shown.answer ?? ''),
        facts: [
          ...(also && shown.unanswered === undefined ? [also] : []),
          [next === 'watch' ? 'watch' : 'details', { command }],
        ],
      },
    ]);
  });

/** `portolan run approve`: approves exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approve the plan a run is waiting on.')
    .addHelpText(...examples('k7q2 --plan b41c-77e0-9f13'))
    .argument('<run>', argumentHelp.run)
    .requiredOption('--plan <hash>', "Plan you reviewed, as shown by 'run show'")
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan }, run, said) => {
        const shown = await portolan.approveRun({ run, ...said });
        return { shown, words: () => `approved: plan ${shown.approved}` };
      }),
    );

/** `portolan run reject`: rejects the waiting plan, which ends the run. */
export const runRejectCommand = () =>
  new Command('reject')
    .description('Reject the plan a run is waiting on.\n\nThe run ends and the target stays unchanged.')
    .addHelpText(...examples('latest --reason "not before the weekend"'))
    .argument('<run>', argumentHelp.run)
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan }, run, said) => {
        const shown = await portolan.rejectRun({ run, ...said });
        return { shown, words: () => `rejected: plan ${shown.rejected}`, next: 'show' };
      }),
    );

/** `portolan run resume`: resumes a parked run, with corrections if given. */
export const runResumeCommand = () =>
  new Command('resume')
    .description(
      `Resume a parked run after re-running its preflight checks.\n\nIf a check fails, the run stays parked. If no worker has the version it is pinned to, it moves to the current version. Keys for --set: ${changeKeys.join(', ')}. An empty value clears a folder or its owner.`,
    )
    .addHelpText(...examples('latest', 'k7q2 --set jobDeadline=12h --reason "a slow night"'))
    .argument('<run>', argumentHelp.run)
    .option('--set <key=value>', 'Correct the route for this run (repeatable)', repeated)
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan, output }, run, { set = [], reason }) => {
        // Typing errors come before any prompt.
        parseRouteChange(set);
        const { record } = await portolan.viewRun({ run, ofGroup: true });
        output.note('Running preflight checks on both portals.');
        const shown = await portolan.resumeRun({ run: record.runId, set, reason });
        return { shown, words: (answer) => `resumed: the run ${answer}` };
      }),
    );

/** `portolan run cancel`: asks a run to clean up and end. */
export const runCancelCommand = () =>
  new Command('cancel')
    .description(
      'Cancel a run.\n\nThe run removes its packages and ends. A job that is running on a portal cannot be stopped: the run waits for it, or with --now reports what it leaves running.',
    )
    .addHelpText(...examples('latest --reason "the wrong group"', 'k7q2 --now'))
    .argument('<run>', argumentHelp.run)
    .option('--now', 'Do not wait for a running job; its package stays')
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan }, run, said) => {
        const { record, ...shown } = await portolan.cancelRun({ run, ...said });
        const job = jobOf(record);
        const command = `portolan run cancel ${shortRunId(record.runId)} --now`;
        return {
          shown,
          words: () => `cancelling; ${cancelWords(record, shown)}`,
          also: job && !shown.now ? ['or now', { command }] : undefined,
        };
      }),
    );

/** What a cancelled run will still do, judged by its current phase. */
export function cancelWords(record: RunRecord, { now }: { readonly now: boolean }): string {
  const { operation, parked, phases, route } = record;
  if (operation !== undefined)
    return phases.some(({ name, status }) => name === 'write' && status !== 'pending')
      ? 'writes already begun are finished and verified'
      : 'nothing is written';
  const job = jobOf(record);
  if (job !== undefined)
    return now
      ? `the ${job} continues on the portal, so its package is kept; the run record lists it`
      : `the ${job} cannot be stopped; the run waits for it to finish, then removes its packages`;
  if (parked !== undefined)
    return `it removes its packages from ${portalsOf(route).join(' and ')}; items on the target stay unchanged`;
  return 'it removes its packages first';
}

/** Phases in which a portal works for the run, and whose portal that is. */
const jobs: readonly (readonly [PhaseName, 'source' | 'target', string])[] = [
  ['export', 'source', 'export'],
  ['wait-export', 'source', 'export'],
  ['safeguard', 'target', 'export'],
  ['import', 'target', 'import'],
  ['wait-import', 'target', 'import'],
];

/** `import on production`: a job of the run that cannot be stopped. */
function jobOf({ operation, parked, phases, queue, window, route }: RunRecord): string | undefined {
  // A run that waits in a queue or for a window has not started its job.
  if (operation !== undefined || queue !== undefined || window !== undefined) return undefined;
  // A parked run keeps its slot only while a job of it may still run on the portal.
  const [held] =
    parked?.held.map((line) => parsePortalQueueId(line.replace(/,.*/, ''))).filter((each) => each) ?? [];
  if (held !== undefined) return `${held.direction} on ${held.portal}`;
  if (parked !== undefined) return undefined;
  const current = phases.find(({ status }) => status === 'running')?.name;
  const [, side, kind] = jobs.find(([phase]) => phase === current) ?? [];
  return side && `${kind} on ${route[side]?.portal ?? '?'}`;
}
