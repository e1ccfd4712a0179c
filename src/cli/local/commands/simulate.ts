import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { z } from 'zod';
import { exitStatus } from '../../../model/errors/error-codes';
import { itemsArgument, numberArgument, sizeArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import { parseFinalStatus, type FinalStatus } from '../../../simulator/options';

/** `portolan simulate`: a portal that speaks the interface, for rehearsal and tests. */
export const simulateCommand = () =>
  new Command('simulate')
    .summary('a simulated portal')
    .description(
      'Runs a simulated portal on this machine until Ctrl-C. The first line on stdout is "ready URL".',
    )
    .option('--port <port>', 'port; 0 takes a free one', numberArgument, 0)
    .option('--name <name>', 'name shown to people', 'simulated')
    .option('--version <version>', 'platform version', '11.4')
    .option(
      '--state <folder>',
      'keeps everything; started again on it, the portal goes on',
      './var/simulated',
    )
    .option('--seed <group>', 'what it holds at first: the name of a built-in seed, or a JSON file', 'empty')
    .option(
      '--clock <time>',
      'what its clock shows at the start, such as 2026-03-01T03:00:00Z; it goes on from there',
      timeArgument,
    )
    .addOption(new Option('--deployment <kind>', 'kind of deployment').choices(['self-managed', 'hosted']))
    .option('--final-status <words>', 'words that end jobs: export=WORD,import=WORD', finalStatusArgument)
    .option('--job-polls <count>', 'look-ups that find a job still running', numberArgument)
    .option('--redirect', 'item data is answered by a redirect to a second server')
    .option('--no-range', 'item data ignores Range')
    .option('--free-gb <size>', 'free space of the content store, in gigabytes', numberArgument)
    .option('--max-package-bytes <size>', 'largest package', sizeArgument)
    .option('--max-item-bytes <size>', 'largest item', sizeArgument)
    .option(
      '--failing <ids>',
      'items that fail an import as a whole, before anything is imported: a,b or @FILE',
      itemsArgument,
    )
    .option('--faults <file>', 'plan of faults: which request, which time, before or after the work')
    .option('--strict', 'answer only the fields that the interface names')
    .action((options, command) =>
      perform(command, async (output) => {
        const { range, ...rest } = options;
        const [{ openSimulated, simulatedView }, { simulatedText }] = await Promise.all([
          import('../simulated-portal.js'),
          import('../render/simulated.js'),
        ]);
        // What it keeps is for its owner alone, as all state is.
        const umask = process.umask(0o077);
        try {
          const interrupted = untilInterrupted();
          const simulator = await openSimulated({ ...rest, noRange: !range });
          process.stdout.write(`ready ${simulator.url}\n`);
          output.note(simulatedText(simulatedView(simulator, options.seed), output.side));
          await interrupted;
          await simulator.close();
        } finally {
          process.umask(umask);
        }
        return exitStatus.done;
      }),
    );

function timeArgument(text: string): number {
  if (z.iso.datetime({ offset: true }).safeParse(text).success) return Date.parse(text);
  throw new InvalidArgumentError('Write a time with its zone, such as 2026-03-01T03:00:00Z.');
}

function finalStatusArgument(text: string): FinalStatus {
  try {
    return parseFinalStatus(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}
