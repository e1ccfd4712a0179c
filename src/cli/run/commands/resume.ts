import { Command } from '@commander-js/extra-typings';
import { changeKeys, parseRouteChange } from '../../../config/route-change';
import { reasonArgument, repeated } from '../../terminal/arguments';
import { answering } from '../answer-run';

/** `portolan run resume`: goes on with a parked run, with a correction where one is given. */
export const runResumeCommand = () =>
  new Command('resume')
    .description(
      `Goes on with a parked run. Both portals are looked at first: where they refuse, that is said, and the run stays parked as it was. What can be corrected: ${changeKeys.join(', ')}. An empty value takes a folder or its owner away.`,
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--set <key=value>', 'corrects the route for this run; can be repeated', repeated)
    .option('--reason <text>', 'kept in the record', reasonArgument)
    .action((text, { set = [], reason }, command) => {
      // What was mistyped is said before anybody is asked.
      parseRouteChange(set);
      return answering(command, async (portolan, output) => {
        output.note('Re-running the preflight checks on both portals.');
        const told = await portolan.resume(text, { set, reason });
        return { ...told, words: (answer) => `resumed: the run ${answer}` };
      });
    });
