import { argumentHelp } from '../../../src/cli/terminal/arguments';
import { type CommandFacts, commands } from '../commands';
import { writtenBy } from './table';

/** Groups of commands, in the order of the help. */
const groups: readonly (readonly [title: string, ...words: string[]])[] = [
  ['Get started', 'demo', 'init', 'up', 'down', 'simulate'],
  [
    'Move content',
    'doctor',
    'diff',
    'sync',
    'backup',
    'protect',
    'coverage',
    'restore',
    'release',
    'promote',
  ],
  [
    'Operate',
    ...[
      'status',
      'run',
      'schedule',
      'snapshot',
      'item',
      'queue',
      'freeze',
      'unfreeze',
      'freezes',
      'hook',
      'open',
    ],
    'clean',
  ],
  ['Portals', 'settings', 'category-schema', 'task-run'],
  ['Deploy', 'worker', 'serve', 'login', 'logout', 'whoami', 'completion'],
];

const wordOf = ({ path }: CommandFacts) => path.split(' ')[1] ?? '';

type Row = Readonly<Record<'term' | 'description', string>>;

/** Of arguments that the top of the page describes. */
const { run, snapshot, release, route, pipeline, stage, portal, schedule } = argumentHelp;
const isNamed = (text: string) =>
  [run, snapshot, release, route, pipeline, stage, portal, schedule].some((each) => each === text);

/** Options that many commands have, by their heading. */
function sharedOptions(heading: string): Row[] {
  const all = commands.flatMap(({ options }) => options.filter((option) => option.heading === heading));
  return [...new Map(all.map((option) => [option.term, option])).values()];
}

/** Terms and descriptions in two columns, as a block of code. */
function block(rows: readonly Row[]) {
  const width = Math.max(...rows.map(({ term }) => term.length));
  return rows.map(({ term, description }) => `    ${term.padEnd(width)}  ${description}`).join('\n');
}

export const commandsPage = (): string => `# Commands

${writtenBy('the program')} \`portolan COMMAND --help\` shows more examples.

- \`RUN\` is an ID, a unique ID suffix, or \`latest\`.
- \`SNAPSHOT\` is an ID, a unique ID suffix, \`latest\`, or \`latest:ROUTE\`: a route's newest good backup in this store.
- \`RELEASE\` is an ID, a unique ID suffix, \`latest\`, or \`latest:PIPELINE\`.
- \`ROUTE\`, \`PIPELINE\`, \`STAGE\`, \`SCHEDULE\` and \`PORTAL\` are names in \`portolan.yaml\`.
- If \`PORTOLAN_SERVER\` or the configuration file names a server, commands use [that server](../guide/access.md).
- Results go to stdout, everything else to stderr.
- Exit statuses: see [errors](errors.md).

Global options (\`demo\` has no \`--config\`, \`simulate\` neither):

${block(sharedOptions('Global options:'))}

Run options:

${block(sharedOptions('Run options:'))}

${groups
  .map(([title, ...words]) => {
    const here = words.flatMap((word) => commands.filter((command) => wordOf(command) === word));
    return `## ${title}\n\n${here.map(section).join('\n\n')}`;
  })
  .join('\n\n')}
`;

function section({ path, usage, description, arguments: args, options, examples }: CommandFacts) {
  const own = options.filter(({ heading }) => heading === 'Options:');
  const rows = [...args.filter(({ description: text }) => !isNamed(text)), ...own];
  const example = rows.length < 2 ? undefined : examples.find((line) => line !== path);
  return [
    `### ${path}`,
    ...description.split('\n\n').map(paragraph),
    `    ${usage}`,
    ...(rows.length === 0 ? [] : [block(rows)]),
    ...(example === undefined ? [] : [`    ${example}`]),
  ].join('\n\n');
}

/** Lines of a list or of commands become a block of code. */
function paragraph(text: string) {
  const [first = '', ...rest] = text.split('\n');
  if (/^ /.test(first)) return text.replaceAll(/^ */gm, '    ');
  return rest.length === 0 ? first : `${first}\n\n${rest.map((line) => `    ${line.trim()}`).join('\n')}`;
}
