import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';

/** `portolan hook test NAME`: whether a message arrives; or how a hook is called. */
export const hookTestCommand = () =>
  new Command('test')
    .summary('send a test message to a receiver, or print a signed call of a hook that comes in')
    .description(
      'Sends a receiver of notify one message of the event "test", signed as all are, and says whether it was taken; nothing else happens. Of a hook that comes in, prints a line for a shell that calls it, signed and good for five minutes: whoever types it starts the run.\nSecrets are read where this is typed, or by the server that is asked, not by the worker; such a server signs no call of a hook for others.',
    )
    .argument('<name>', 'name of a hook, or of a receiver (notify.0 where it has none)')
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
