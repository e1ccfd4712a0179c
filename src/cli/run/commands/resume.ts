import { Command } from '@commander-js/extra-typings';
import { changeKeys, parseRouteChange } from '../../../config/route-change';
import { reasonArgument, repeated } from '../../terminal/arguments';
import { answering } from '../answering';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan run resume`: resumes a parked run, with corrections if given. */
export const runResumeCommand = () =>
  new Command('resume')
    .description(
      `Resume a parked run after re-running its preflight checks.\n\nIf a check fails, the run stays parked. If no worker has the version it is pinned to, it moves to the current version. Keys for --set: ${changeKeys.join(', ')}. An empty value clears a folder or its owner.`,
    )
    .argument('<run>', argumentHelp.run)
    .option('--set <key=value>', 'Correct the route for this run (repeatable)', repeated)
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      answering(async ({ portolan, output }, run, { set = [], reason }) => {
        // Typing errors come before any prompt.
        parseRouteChange(set);
        output.note('Running preflight checks on both portals.');
        const shown = await portolan.resumeRun({ run, set, reason });
        return { shown, words: (answer) => `resumed: the run ${answer}` };
      }),
    );
