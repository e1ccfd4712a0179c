import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { confirmTwice } from '../../terminal/prompts';
import { perform } from '../../terminal/globals';
import { safeguardOf } from '../../../service/start/restore';
import { targetOf } from '../../../service/run/run-view';
import { withPortolan } from '../../terminal/with-portolan';
import { startAndFollow } from '../follow-run';
import { argumentHelp } from '../../terminal/argument-help';
import { noWaitOption, reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan run rollback`: restores what a run overwrote. */
export const runRollbackCommand = () =>
  new Command('rollback')
    .description(
      'Restore the items a sync or restore overwrote, from its safeguard.\n\nShows a plan and asks for approval. Items the run created are kept. --delete-created permanently deletes those unchanged since; they do not go to the recycle bin.',
    )
    .argument('<run>', argumentHelp.run)
    .option('--delete-created', 'Delete unchanged items the run created')
    .option('--yes', 'Approve the plan')
    .option('--yes-delete <portal>', 'Confirm deletion on the target portal without a prompt')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((text, { wait, timeout: timeoutMs, requestId, yesDelete, deleteCreated, ...flags }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const { record, open } = await portolan.portolan.viewRun({ run: text, ofGroup: true });
          // Refusals come before any prompt.
          safeguardOf(record, open);
          const { portal: to } = targetOf(record);
          const confirmation = {
            what: `--delete-created deletes items from ${to}`,
            question: `Delete unchanged items the run created on ${to}?`,
          };
          if (deleteCreated && !(await confirmTwice(to, yesDelete, output, confirmation)))
            return exitStatus.cancelled;
          const request = { ...flags, deleteCreated: deleteCreated && to };
          const start = { what: 'rollback' as const, run: record.runId, request };
          return await startAndFollow(portolan, output, start, { wait, timeoutMs, requestId });
        }),
      ),
    );
