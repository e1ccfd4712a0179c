import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { typedName } from './typed-options';

const GROUP = '9f2c4b7de1a84c0fb3d1a6c25e7f90e1';
const INTO = '47ab0c9d52e64f6c8b1e7a3d9c604503';

/**
 * Examples of each command, by its words, without `portolan`. test/cli/examples.test.ts types each of them; the help and
 * docs/reference/commands.md show them.
 */
const typed: Readonly<Record<string, readonly [string, ...string[]]>> = {
  demo: ['', '--promotion --keep'],
  init: [
    '',
    `--from https://staging.example.com/portal --group ${GROUP} --to https://gis.example.com/portal --into ${INTO} --user sync --password file:secret --config first.yaml`,
  ],
  up: ['', '--detach --config rehearsal.yaml'],
  down: ['', '--config rehearsal.yaml'],
  simulate: [
    '--port 6080 --name staging --state ./var/staging --seed transport',
    '--version 10.9.1 --free-gb 5',
  ],
  doctor: ['transport', '--cluster'],
  diff: ['transport'],
  sync: ['transport', 'transport --plan-only --exit-code'],
  'backup create': ['transport --tag upgrade', `--from staging --group ${GROUP}`],
  'backup drill': ['transport', 'transport --import'],
  'protect list': ['', '-o json'],
  'protect show': ['official', 'production/official -o json'],
  'protect run': ['official --reason "before the upgrade"'],
  coverage: ['production', 'production -o json'],
  restore: [
    `latest:transport --to production --into ${INTO} --plan-only`,
    `latest:transport --to production --into ${INTO} --overwrite --yes`,
  ],
  'release create': ['traffic --reason "winter closures"', 'traffic --request-id build-42'],
  'release list': ['', 'traffic -o json'],
  'release show': ['latest:traffic'],
  'release diff': ['m4wd latest:traffic'],
  'release pin': ['m4wd --reason "in production"'],
  'release unpin': ['m4wd'],
  'release export': ['latest:traffic --to traffic.release --key key'],
  'release import': ['traffic.release --trust key.pub'],
  'release forget': ['m4wd --yes'],
  'promote start': ['traffic --to production --plan-only --exit-code', 'traffic --to production --yes'],
  'promote status': ['', 'traffic -o json'],
  'promote diff': ['traffic production', 'traffic production --release latest:traffic -o json'],
  'promote history': ['traffic', 'traffic production -o json'],
  'promote rollback': ['traffic production --reason "an app is broken" --yes'],
  status: ['', '-o json'],
  'run list': ['--route transport --limit 5', '--parked'],
  'run show': ['latest', 'k7q2 --plan'],
  'run logs': ['latest', 'k7q2 --problems'],
  'run bundle': ['latest', 'k7q2 for-support.json.gz --force'],
  'run watch': ['latest', 'k7q2 --timeout 10m'],
  'run approve': ['k7q2 --plan b41c-77e0-9f13'],
  'run reject': ['latest --reason "not before the weekend"'],
  'run resume': ['latest', 'k7q2 --set jobDeadline=12h --reason "a slow night"'],
  'run restart': ['latest --from upload', 'k7q2 --from guard --yes'],
  'run rollback': ['latest --yes', 'k7q2 --delete-created --yes-delete production --yes'],
  'run retry': ['latest', 'k7q2 --bisect --yes'],
  'run cancel': ['latest --reason "the wrong group"', 'k7q2 --now'],
  'schedule list': [''],
  'schedule show': ['nightly-transport'],
  'schedule apply': ['--dry-run --exit-code', '--yes'],
  'schedule pause': ['nightly-transport --reason "the portal is upgraded"'],
  'schedule resume': ['nightly-transport'],
  'schedule trigger': ['nightly-transport', 'nightly-transport --overlap buffer-one'],
  'snapshot list': ['', '--route transport --safeguards'],
  'snapshot show': ['latest:transport', 'k7q2 -o json'],
  'snapshot verify': ['latest:transport', '--all'],
  'snapshot diff': ['latest:transport live', 'k7q2 latest:transport'],
  'snapshot pin': ['k7q2 --reason "before the upgrade"'],
  'snapshot unpin': ['k7q2'],
  'snapshot forget': ['--route transport --keep-daily 14 --keep-monthly 12 --dry-run', 'k7q2 --yes'],
  'snapshot export': ['latest:transport transport.snapshot --key key'],
  'snapshot import': ['transport.snapshot --trust key.pub'],
  'snapshot keygen': ['key'],
  'queue list': [''],
  'queue release': ['production/import k7q2 --reason "portal job stopped manually"'],
  freeze: ['production --reason "the portal is upgraded"'],
  unfreeze: ['production'],
  freezes: ['', 'production -o json'],
  'hook list': [''],
  'hook test': ['tickets', 'ci'],
  open: ['', 'latest'],
  clean: ['', 'production --yes'],
  'settings export': ['staging', 'staging staging.yaml'],
  'settings diff': ['production settings.yaml'],
  'settings apply': ['production settings.yaml --yes', 'production --saved latest --yes'],
  'settings promote': [
    'staging production --yes',
    'staging production --map survey.staging.example.com=survey.example.com --yes',
  ],
  'category-schema export': ['staging', 'staging before.yaml'],
  'category-schema diff': ['production schema.yaml'],
  'category-schema apply': ['production schema.yaml --yes', 'production --saved latest --yes'],
  'category-schema delete': ['production', 'production --yes-delete production'],
  'task-run update': ['production 5c1e08d2 latest --user owner --status succeeded --result "11 items"'],
  worker: ['', '--config rehearsal.yaml'],
  'serve start': ['', '--config rehearsal.yaml'],
  'serve key': ['dashboard'],
  login: ['http://127.0.0.1:8350 --no-browser', ''],
  logout: ['https://portolan.example.com'],
  whoami: [''],
  completion: ['bash', 'fish'],
};

/** Words of the commands that have examples: `run show`. */
export const commandsWithExamples: readonly string[] = Object.keys(typed);

/** The examples of a command as they are typed, by its words: `run show`. None if there is no such command. */
export const examplesOf = (words: string): readonly string[] =>
  (typed[words] ?? []).map((rest) => `portolan ${words} ${rest}`.trimEnd());

/** Adds its examples to the help of a command. */
export function addExamples(command: CommandUnknownOpts): void {
  const examples = examplesOf(typedName(command));
  if (examples.length === 0) return;
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  command.addHelpText('after', ['', title, ...examples.map((line) => `  ${line}`)].join('\n'));
}
