import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { bad, good } from '../../../model/text/sheet';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** `portolan hook test NAME`: sends a test message, or prints a signed call of a hook. */
export const hookTestCommand = () =>
  new Command('test')
    .description(
      'Send a test message, or print a signed hook call.\n\nSends a receiver one message with the event "test" and shows whether it was accepted. For a hook, prints a shell command that starts its run, valid once within five minutes.\n\nUses the secrets readable here or by the configured server. Such a server signs no hook calls.',
    )
    .addHelpText(...examples('tickets', 'ci'))
    .argument('<name>', 'Hook or receiver (notify.0 if it has no name)')
    .action(
      act(async ({ portolan, output, config }, name) => {
        const hook = config?.hooks.get(name);
        if (config && hook) {
          const { signedCall } = await import('../../../service/hook/test-hook.js');
          const call = await signedCall(config, hook);
          output.show({ name, call }, () => call);
          output.note('note  valid once, for five minutes; running it starts the run');
          return exitStatus.done;
        }
        const tested = await portolan.testReceiver({ hook: name });
        const { problem } = tested;
        output.show(tested, () => [
          { facts: [[name, problem === undefined ? good('accepted the message') : bad(problem)]] },
        ]);
        return problem === undefined ? exitStatus.done : exitStatus.failed;
      }),
    );
