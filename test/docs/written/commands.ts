import { type CommandFacts, commands, type OptionFacts } from '../commands';
import { table, writtenBy } from './table';

/** What all commands take; said once. */
const everywhere = new Set(['--config', '--output']);

/** Groups of commands in the order in which people meet them. */
const groups: readonly (readonly [title: string, ...words: string[]])[] = [
  ['On this machine', 'init', 'demo', 'up', 'down', 'worker', 'open', 'serve', 'simulate', 'completion'],
  ['From another machine', 'login', 'logout', 'whoami'],
  ['A route', 'doctor', 'diff', 'sync', 'clean'],
  ['Runs', 'status', 'run'],
  ['Backups', 'backup', 'restore', 'snapshot'],
  ['Releases', 'release'],
  ['Promotions', 'promote'],
  ['Schedules', 'schedule'],
  ['Hooks', 'hook'],
  ['Builds of workers', 'deploy'],
  ['A portal', 'freeze', 'unfreeze', 'freezes', 'settings', 'category-schema', 'task-run', 'gate'],
];

const wordOf = ({ path }: CommandFacts): string => path.split(' ')[1] ?? '';

export const commandsPage = (): string => `# Commands

${writtenBy('the program')} \`portolan COMMAND --help\` says the same.

\`RUN\` is a run's id, an end of it that no other run has, or \`latest\`. \`SNAPSHOT\` is the same of a snapshot, or \`latest:ROUTE\`: the newest good backup of a route that was taken here; one that imported from another store is meant by its id alone. \`RELEASE\` is its id, an end of it, \`latest\`, or \`latest:PIPELINE\`. All but \`simulate\` take \`-o table\`, \`-o json\` or \`-o ndjson\` (\`--output\`), all but \`demo\` and \`simulate\` \`--config FILE\`; what that does not name is \`PORTOLAN_CONFIG\`, else \`portolan.yaml\` in the working folder. Where \`PORTOLAN_SERVER\` or the file [names a server](../guide/production.md#from-another-machine), that is asked. What was asked for goes to stdout, everything else to stderr. Ctrl-C stops watching, not the run. How each ends is in [exit statuses](errors.md).

${groups
  .map(([title, ...words]) => {
    const here = commands.filter((command) => words.includes(wordOf(command)));
    return `## ${title}\n\n${here.map(section).join('\n\n')}`;
  })
  .join('\n\n')}
`;

const section = (command: CommandFacts): string =>
  [
    `### ${command.path}`,
    `    ${command.usage}`,
    command.description.replaceAll(/\s*\n\s*/g, ' '),
    ...optionsOf(command),
    command.examples.map(({ line, what }) => `    ${line}  # ${what}`).join('\n'),
  ].join('\n\n');

function optionsOf({ arguments: args, options }: CommandFacts): string[] {
  const rows = [
    ...args.map(({ name, description }) => [`\`${name.toUpperCase()}\``, description]),
    ...options
      .filter(({ long }) => !everywhere.has(long))
      .map((option) => [`\`${option.flags}\``, meaningOf(option)]),
  ];
  return rows.length === 0 ? [] : [table(['Argument or flag', 'What it does'], rows)];
}

function meaningOf({ description, choices, initial }: OptionFacts): string {
  const words = choices === undefined ? [] : [choices.map((choice) => `\`${choice}\``).join(', ')];
  const unset = initial === undefined || initial === '' ? [] : [`unless it is given: ${initial}`];
  return [description, ...words, ...unset].join('; ');
}
