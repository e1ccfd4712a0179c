import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { nameArgument } from '../../terminal/arguments';
import { writeDocument } from '../../terminal/documents';
import { perform } from '../../terminal/globals';
import { configText, type NewEnd, newConfigFile } from '../new-config';
import { examples } from '../../terminal/help';

/** `portolan init`: creates portolan.yaml with two portals and a route between a group of each. */
export const initCommand = () =>
  new Command('init')
    .description(
      'Create portolan.yaml.\n\nSigns in to both portals and prompts for anything the options leave out. Writes nothing to a portal. The file says where passwords are, but contains none.',
    )
    .addHelpText(
      ...examples(
        '',
        '--from https://staging.example.com/portal --group 9f2c4b7de1a84c0fb3d1a6c25e7f90e1 --to https://gis.example.com/portal --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --user sync --password file:secret --config first.yaml',
      ),
    )
    .option('--from <url>', 'Source portal URL')
    .option('--group <group>', 'Source group: title or ID')
    .option('--to <url>', 'Target portal URL')
    .option('--into <group>', 'Target group: title or ID')
    .option('--user <name>', 'Account on both portals')
    .option('--to-user <name>', 'Account on the target, if different')
    .option(
      '--password <place>',
      'Password location: env:NAME, file:PATH or command:PROGRAM (default: a variable named after the portal)',
      passwordArgument,
    )
    .option('--to-password <place>', 'Password location for the target, if different', passwordArgument)
    .option('--route <name>', 'Route name (default: from the group title)', nameArgument)
    .option('--force', 'Overwrite an existing file')
    .action((options, command) =>
      perform(command, async (output, globals) => {
        const file = newConfigFile(globals.config, options.force === true);
        const { findFirstRoute } = await import('../first-route.js');
        const { from, group, to, into, user, toUser = user, password, toPassword = password } = options;
        const ends = await findFirstRoute(
          file,
          {
            source: { url: from, username: user, password, group },
            target: { url: to, username: toUser, password: toPassword, group: into },
          },
          output,
        );
        const { source, target } = ends;
        const name = options.route ?? routeName(source.group?.title);
        const text = configText(name, ends);
        await writeDocument(file, text);
        output.showDocument({ file, route: name, source, target }, text.trimEnd());
        const variables = [source, target].flatMap(({ password: place }) =>
          'env' in place ? [`${place.env}=...`] : [],
        );
        output.note('');
        output.note([
          {
            title: `Wrote ${file}. The portals are unchanged.`,
            facts: [
              ['secrets', variables.length > 0 ? `export ${[...new Set(variables)].join(' ')}` : undefined],
              ['next', 'portolan up --detach'],
              ['', `portolan doctor ${name}`],
              ['', `portolan diff ${name}`],
            ],
          },
        ]);
        return exitStatus.done;
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
