import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { durationArgument, reasonArgument } from '../../terminal/arguments';
import { confirmTwice } from '../../terminal/prompts';
import { perform } from '../../terminal/globals';
import { safeguardOf } from '../../../service/start/restore';
import { targetOf } from '../../../service/run/run-view';
import { withPortolan } from '../../terminal/with-portolan';
import { startAndFollow } from '../follow-run';

/** `portolan run rollback`: restores what a run has overwritten. */
export const runRollbackCommand = () =>
  new Command('rollback')
    .description(
      'Restores what a sync or restore has overwritten, from the safeguard that it took: plan, your yes, import, proof. Of one that has only created, nothing is restored. Items that the run had created are listed and stay, unless --delete-created is given: then those are removed that nobody has changed since.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--delete-created', 'remove what the run had created and nobody has changed since; asked twice')
    .option('--yes', 'approve the plan')
    .option('--yes-delete <portal>', 'with --delete-created, for scripts: the name of the target portal')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .action((text, { wait, timeout: timeoutMs, requestId, yesDelete, deleteCreated, ...flags }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const { record, open } = await portolan.seekGroupRun(text);
          // What stands against it is said before anybody is asked.
          safeguardOf(record, open);
          const { portal: to } = targetOf(record);
          const confirmation = {
            what: `--delete-created removes items from ${to}`,
            question: `Remove from ${to} what the run had created?`,
          };
          if (deleteCreated && !(await confirmTwice(to, yesDelete, output, confirmation)))
            return exitStatus.cancelled;
          const request = { ...flags, deleteCreated: deleteCreated && to };
          const start = { what: 'rollback' as const, run: record.runId, request };
          return await startAndFollow(portolan, output, start, { wait, timeoutMs, requestId });
        }),
      ),
    );
