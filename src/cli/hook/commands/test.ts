import { Command } from '@commander-js/extra-typings';
import type { Config, HookConfig } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { findHook, signedCall, testReceiver } from '../../../service/hook/test-hook';
import { openStore } from '../../../store/open-store';
import { perform } from '../../terminal/globals';
import type { Output } from '../../terminal/output';

/** `portolan hook test NAME`: whether a message arrives; or how a hook is called. */
export const hookTestCommand = () =>
  new Command('test')
    .summary('send a test message to a receiver, or print a signed call of a hook that comes in')
    .description(
      'Sends a receiver of notify one message of the event "test", signed as all are, and says whether it was taken; nothing else happens. Of a hook that comes in, prints a line for a shell that calls it, signed and good for five minutes: whoever types it starts the run.\nSecrets are read where this is typed, not by the worker.',
    )
    .argument('<name>', 'name of a hook, or of a receiver (notify.0 where it has none)')
    .action((name, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const found = findHook(config, name);
        if ('starts' in found) return await printCall(config, found, output);
        const problem = await testReceiver(openStore(config), found);
        output.show({ name, delivered: problem === undefined, problem }, ({ colors }) =>
          problem === undefined
            ? `${name}  ${colors.green('took the message')}`
            : `${name}  ${colors.red(problem)}`,
        );
        return problem === undefined ? exitStatus.done : exitStatus.failed;
      }),
    );

async function printCall(config: Config, hook: HookConfig, output: Output): Promise<number> {
  const { url, address } = config.serve;
  const call = await signedCall(hook, url?.replace(/\/+$/, '') ?? `http://${address}`);
  output.show({ name: hook.name, call }, () => call);
  output.note('note  good for five minutes and once; whoever types it starts the run');
  return exitStatus.done;
}
