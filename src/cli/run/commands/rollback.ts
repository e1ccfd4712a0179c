import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { confirmTwice } from '../../terminal/prompts';
import { act } from '../../terminal/act';
import { safeguardOf, targetOf } from '../../../service/run/run-view';
import { startAndFollow } from '../follow-run';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan run rollback`: restores what a run overwrote. */
export const runRollbackCommand = () =>
  new Command('rollback')
    .description(
      'Restore the items a sync or restore overwrote, from its safeguard.\n\nShows a plan and asks for approval. Items the run created are kept. --delete-created permanently deletes those unchanged since; they do not go to the recycle bin.',
    )
    .addHelpText(...examples('latest --yes', 'k7q2 --delete-created --yes-delete production --yes'))
    .argument('<run>', argumentHelp.run)
    .option('--delete-created', 'Delete unchanged items the run created')
    .option('--yes', 'Approve the plan')
    .option('--yes-delete <portal>', 'Confirm deletion on the target portal without a prompt')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act(async (session, text, { wait, timeout, requestId, yesDelete, deleteCreated, ...flags }) => {
        const { portolan, output } = session;
        const { record, open } = await portolan.viewRun({ run: text, ofGroup: true });
        // Refusals come before any prompt.
        safeguardOf(record, open);
        const { portal: to } = targetOf(record);
        const confirmation = {
          what: `--delete-created deletes items from ${to}`,
          question: `Delete unchanged items the run created on ${to}?`,
        };
        if (deleteCreated && !(await confirmTwice(to, yesDelete, output, confirmation)))
          return exitStatus.cancelled;
        const asked = { run: record.runId, ...flags, deleteCreated: deleteCreated && to };
        return await startAndFollow(session, (how) => portolan.rollBackRun(asked, how), {
          wait,
          timeout,
          requestId,
        });
      }),
    );
