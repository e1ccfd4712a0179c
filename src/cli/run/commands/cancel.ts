import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';
import { cancelWords } from '../render/cancel';
import { reasonArgument } from '../../terminal/arguments';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan run cancel`: asks a run to clean up and end. */
export const runCancelCommand = () =>
  new Command('cancel')
    .description(
      'Cancel a run.\n\nThe run removes its packages and ends. A job that is running on a portal cannot be stopped: the run waits for it, or with --now reports what it leaves running.',
    )
    .argument('<run>', argumentHelp.run)
    .option('--now', 'Do not wait for a running job; its package stays')
    .option('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action((text, said, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const { record, shown } = await portolan.cancel(text, said);
          output.show(
            shown,
            () => `${cancelWords(record, shown)}\nwatch    portolan run watch ${shortRunId(record.runId)}`,
          );
          return exitStatus.done;
        }),
      ),
    );
