import { Command } from '@commander-js/extra-typings';
import { answering } from '../answering';
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
    .action(
      answering(async ({ portolan }, run, said) => {
        const { record, ...shown } = await portolan.cancelRun({ run, ...said });
        return { shown, words: () => cancelWords(record, shown) };
      }),
    );
