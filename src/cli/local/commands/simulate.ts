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
    .description("Run a simulated portal until Ctrl-C.\n\nThe first line on stdout is 'ready URL'.")
    .option('--port <port>', 'Port; 0 picks a free one', numberArgument, 0)
    .option('--name <name>', 'Portal name', 'simulated')
    .option('--version <version>', 'Platform version', '11.4')
    .option('--state <folder>', 'Data folder; restart with it to continue', './var/simulated')
    .option('--seed <group>', 'Initial content: built-in seed or JSON file', 'empty')
    .option('--clock <time>', 'Clock at start, such as 2026-03-01T03:00:00Z', timeArgument)
    .addOption(new Option('--deployment <kind>', 'Deployment type').choices(['self-managed', 'hosted']))
    .option('--final-status <words>', 'Words that end jobs: export=WORD,import=WORD', finalStatusArgument)
    .option('--job-polls <count>', 'Number of polls that find a job still running', numberArgument)
    .option('--redirect', 'Serve item data through a redirect to a second server')
    .option('--no-range', 'Ignore Range headers for item data')
    .option('--free-gb <size>', 'Free disk space of the content store, in GB', numberArgument)
    .option('--max-package-bytes <size>', 'Largest export package', sizeArgument)
    .option('--max-item-bytes <size>', 'Largest item', sizeArgument)
    .option('--failing <ids>', 'Items that make an import fail as a whole (a,b or @FILE)', itemsArgument)
    .option('--faults <file>', 'Fault plan: which requests fail, and how')
    .option('--strict', 'Return only the fields the interface defines')
    .action((options, command) =>
      perform(command, async (output) => {
        const { range, ...rest } = options;
        const [{ openSimulated, simulatedView }, { simulatedText }] = await Promise.all([
          import('../simulated-portal.js'),
          import('../render/simulated.js'),
        ]);
        // Like all state, readable only by its owner.
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
