import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';

/** `portolan hook test NAME`: sends a test message, or prints a signed call of a hook. */
export const hookTestCommand = () =>
  new Command('test')
    .description(
      'Send a test message, or print a signed hook call.\n\nSends a receiver one signed message with the event "test" and shows whether it was accepted. For a hook, prints a shell command that starts its run, valid once within five minutes.\n\nUses the secrets readable here or by the configured server. Such a server signs no hook calls.',
    )
    .argument('<name>', 'Hook or receiver (notify.0 if it has no name)')
    .action((name, _options, command) =>
      perform(command, async (output, globals) => {
        const tested = await withStoredPortolan(globals, ({ hooks }) => hooks.test(name));
        if ('call' in tested) {
          output.show(tested, () => tested.call);
          output.note('note  valid once, for five minutes; running it starts the run');
          return exitStatus.done;
        }
        const { problem } = tested;
        output.show(tested, ({ colors }) =>
          problem === undefined
            ? `${name}  ${colors.green('accepted the message')}`
            : `${name}  ${colors.red(problem)}`,
        );
        return problem === undefined ? exitStatus.done : exitStatus.failed;
      }),
    );
