import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';
import { cancelWords } from '../render/cancel';
import { reasonArgument } from '../../terminal/arguments';

/** `portolan run cancel`: asks a run to end, which cleans up behind itself. */
export const runCancelCommand = () =>
  new Command('cancel')
    .description(
      'Asks a run to end; it removes its packages first. A job that runs on a portal cannot be stopped: the run waits for its end, or with --now says what it leaves running.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--now', 'do not wait for a job that runs on a portal; its package stays there')
    .option('--reason <text>', 'kept in the record', reasonArgument)
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
