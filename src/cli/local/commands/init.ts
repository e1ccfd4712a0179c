import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { nameArgument } from '../../terminal/arguments';
import { writeDocument } from '../../terminal/documents';
import { perform } from '../../terminal/globals';
import { labelled } from '../../terminal/columns';
import type { GivenEnd } from '../first-route';
import { configText, type NewEnd, newConfigFile } from '../new-config';

/** `portolan init`: a first portolan.yaml, of two portals that were signed in to and a group of each. */
export const initCommand = () =>
  new Command('init')
    .summary('writes a first portolan.yaml')
    .description(
      'Writes a portolan.yaml with two portals and a route between them. Asks for what its flags do not say, signs in to both, lists the groups of the account by their titles, and writes nothing on a portal. Passwords stay where they are: the file says where to find them.',
    )
    .option('--from <url>', 'address of the portal that the content comes from')
    .option('--group <group>', 'its group: the title or the id')
    .option('--to <url>', 'address of the portal that it goes to')
    .option('--into <group>', 'its group: the title or the id')
    .option('--user <name>', 'account on both portals')
    .option('--to-user <name>', 'account on the portal that it goes to, where it is another one')
    .option(
      '--password <place>',
      'where its password is: env:NAME, file:PATH, or command:PROGRAM; unless it is given, a variable named like the portal',
      passwordArgument,
    )
    .option('--to-password <place>', 'the same for the portal that it goes to', passwordArgument)
    .option('--route <name>', 'name of the route; unless it is given, that of the group', nameArgument)
    .option('--force', 'writes the file anew where it is there already')
    .action((options, command) =>
      perform(command, async (output, globals) => {
        const file = newConfigFile(globals.config, options.force === true);
        const { FirstRoute } = await import('../first-route.js');
        const { from, group, to, into, user, toUser, password, toPassword } = options;
        const route = new FirstRoute(file, output);
        try {
          const given: GivenEnd = { url: from, username: user, password, group };
          const source = await route.end('source', given);
          const target = await route.end('target', {
            url: to,
            username: toUser ?? user,
            password: toPassword ?? password,
            group: into,
          });
          await route.compare();
          const name = options.route ?? routeName(source.group?.title);
          const text = configText(name, source, target);
          await writeDocument(file, text);
          output.showDocument({ file, route: name, source, target }, text.trimEnd());
          output.note(
            [
              '',
              `${file} written. Nothing was written on a portal.`,
              ...labelled(nextRows(name, [source, target]), output.side),
            ].join('\n'),
          );
          return exitStatus.done;
        } finally {
          await route.close();
        }
      }),
    );

function passwordArgument(text: string): NewEnd['password'] {
  const [, kind, rest = ''] = /^(env|file|command):(.+)$/.exec(text) ?? [];
  if (kind === 'env') return { env: rest };
  if (kind === 'file') return { file: rest };
  if (kind === 'command') return { command: rest.trim().split(/\s+/) };
  throw new InvalidArgumentError('Write env:NAME, file:PATH or command:PROGRAM; never the password itself.');
}

/** `transport` of "Transport". */
const routeName = (title = ''): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40) || 'first';

function nextRows(route: string, ends: readonly NewEnd[]): (readonly [string, string])[] {
  const variables = ends.flatMap(({ password }) => ('env' in password ? [`${password.env}=...`] : []));
  return [
    ...(variables.length === 0 ? [] : [['secrets', `export ${[...new Set(variables)].join(' ')}`] as const]),
    ['next', 'portolan up --detach'],
    ['', `portolan doctor ${route}`],
    ['', `portolan diff ${route}`],
  ];
}
