import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { z } from 'zod';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { faint, type Sheet } from '../../../model/text/sheet';
import { countOf, quoted } from '../../../model/text/words';
import { parseFinalStatus, type FinalStatus, type SimulatorOptions } from '../../../simulator/options';
import { emptyGroupId } from '../../../simulator/seed/seeds';
import { transportGroupId, transportTargetGroupId } from '../../../simulator/seed/transport';
import { builtInUsers } from '../../../simulator/seed/users';
import { type Simulator, startSimulator } from '../../../simulator/simulator';
import { itemsArgument, numberArgument, sizeArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import { passwordVariable } from '../new-config';
import { examples } from '../../terminal/help';

/** `portolan simulate`: a portal that speaks the interface, for rehearsal and tests. */
export const simulateCommand = () =>
  new Command('simulate')
    .description("Run a simulated portal until Ctrl-C.\n\nThe first line on stdout is 'ready URL'.")
    .addHelpText(
      ...examples(
        '--port 6080 --name staging --state ./var/staging --seed transport',
        '--version 10.9.1 --free-gb 5',
      ),
    )
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
        // Like all state, readable only by its owner.
        const umask = process.umask(0o077);
        try {
          const interrupted = untilInterrupted();
          const simulator = await start({ ...rest, noRange: !range });
          output.terminal.stdout.write(`ready ${simulator.url}\n`);
          output.note(simulatedSheet(simulator, options.seed));
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

/** Throws `USAGE` if options, seed, port or folder cannot be used. */
async function start(options: SimulatorOptions): Promise<Simulator> {
  try {
    return await startSimulator(options);
  } catch (thrown) {
    throw new PortolanError('USAGE', problemOf(thrown as NodeJS.ErrnoException, options), {
      hint: 'See: portolan simulate --help',
    });
  }
}

function problemOf(
  { code, message, path }: NodeJS.ErrnoException,
  { port = 0, state }: SimulatorOptions,
): string {
  if (code === 'EADDRINUSE')
    return port === 0
      ? `The port used before with ${state} is taken; choose another with --port.`
      : `Port ${port} is taken; choose another with --port, or 0 for a free one.`;
  if (code === 'EACCES' && path === undefined) return `This account cannot use port ${port}.`;
  if (code === 'ERR_SOCKET_BAD_PORT') return `${port} is not a port; write a number from 0 to 65535.`;
  if (code !== undefined && path !== undefined) return `${path} cannot be used (${code}).`;
  return message.endsWith('.') ? message : `${message}.`;
}

/** Users, groups, and lines to copy into portolan.yaml. Passwords of a simulated portal are no secrets. */
function simulatedSheet({ url, world, settings }: Simulator, seed: string): Sheet {
  const groups = [...world.groups.values()];
  const { admin } = builtInUsers;
  const portal =
    settings.name.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'simulated';
  const users = Object.values(builtInUsers).map(({ username, password }) => {
    const { role = '?', roleId } = world.users.get(username) ?? {};
    const owned = groups.filter(({ owner }) => owner === username);
    const joined = groups.filter(({ owner, members }) => owner !== username && members.includes(username));
    const facts = [
      roleId === undefined ? role : `${role}, by a custom role`,
      ...owned.map(({ title }) => `owns ${quoted(title)}`),
      ...joined.map(({ title }) => `in ${quoted(title)}`),
    ];
    return [username, password, facts.join(', ')];
  });
  const groupRows = groups.map(({ id, title, owner }) => {
    const items = world.items.filter((item) => item.groups.includes(id)).length;
    return [id, quoted(title), `${countOf(items, 'item')}, owned by ${owner}`];
  });
  const isTarget = seed === 'transport-target' || seed === 'empty';
  const other = isTarget
    ? { name: 'staging', seed: 'transport', group: transportGroupId }
    : seed.startsWith('transport')
      ? { name: 'production', seed: 'transport-target', group: transportTargetGroupId }
      : { name: 'production', seed: 'empty', group: emptyGroupId };
  const there = other.name === portal ? `other-${other.name}` : other.name;
  const ends = [
    `{ portal: ${portal}, group: ${groups[0]?.id ?? 'GROUP'} }`,
    `{ portal: ${there}, group: ${other.group} }`,
  ];
  const [source, target] = isTarget ? ends.reverse() : ends;
  const variable = passwordVariable(portal);
  const yaml = [
    'portals:',
    `  ${portal}: { url: "${url}", auth: { type: password, username: ${admin.username}, password: { env: ${variable} } } }`,
    'routes:',
    `  transport: { source: ${source}, target: ${target} }`,
  ];
  return [
    { title: faint('users'), columns: [], rows: users },
    { title: faint('groups'), columns: [], rows: groupRows },
    { title: faint('for portolan.yaml'), lines: yaml.map((line) => ({ command: line })) },
    {
      title: faint('to type'),
      lines: [
        { command: `export ${variable}=${admin.password}` },
        { command: `portolan simulate --name ${there} --state ./var/${there} --seed ${other.seed}` },
      ],
    },
    { lines: ['Ctrl-C stops it. Restart it with the same --state to continue.'] },
  ];
}
