import type { CommandUnknownOpts } from '@commander-js/extra-typings';

export interface Example {
  /** As it is typed. */
  readonly line: string;
  /** What comes of it, in words that go on from "it". */
  readonly what: string;
}

/** What is typed behind the command, and what comes of it. */
type Typed = readonly [words: string, what: string];

const GROUP = '9f2c4b7de1a84c0fb3d1a6c25e7f90e1';
const INTO = '47ab0c9d52e64f6c8b1e7a3d9c604503';

/**
 * Two examples of each command, by its words. They are typed as they stand, in a rehearsal, by
 * test/cli/examples.test.ts; the help of the command ends in them, and docs/reference/commands.md has them.
 */
const typed: Readonly<Record<string, readonly [Typed, Typed]>> = {
  demo: [
    ['', 'one real sync between two simulated portals, and nothing is left'],
    [
      '--promotion --keep',
      'a release goes from dev to production, the next one is undone; all stays up until Ctrl-C, to look around',
    ],
  ],
  init: [
    ['', 'asks for two portals and their groups, and writes portolan.yaml'],
    [
      `--from https://staging.example.com/portal --group ${GROUP} --to https://gis.example.com/portal --into ${INTO} --user sync --password file:secret --config first.yaml`,
      'the same without a question, into another file',
    ],
  ],
  up: [
    ['', 'a Temporal server, its Web UI and a worker, until Ctrl-C'],
    ['--detach --config rehearsal.yaml', 'the same for another configuration, until portolan down'],
  ],
  open: [
    ['', 'opens the page in a browser, on what goes on now, and prints its address'],
    ['latest', 'the same on the run that was started last'],
  ],
  'serve start': [
    ['', 'answers at serve.address, until Ctrl-C'],
    ['--config rehearsal.yaml', 'the same for another configuration'],
  ],
  'hook list': [
    ['', 'hooks that come in, and receivers with what was last sent to each'],
    ['-o json', 'the same for a program'],
  ],
  'hook test': [
    ['tickets', 'sends a message to that receiver, and says whether it was taken'],
    ['ci', 'prints a signed call of that hook, for a shell'],
  ],
  login: [
    [
      'http://127.0.0.1:8350 --no-browser',
      'prints the address at which to sign in, and waits until somebody has',
    ],
    ['', 'signs in to the server that PORTOLAN_SERVER or portolan.yaml names, in a browser'],
  ],
  logout: [
    ['https://portolan.example.com', 'forgets who has signed in there'],
    ['-o json', 'the same of the server that is named for this machine, for a program'],
  ],
  whoami: [
    ['', 'as whom runs are started and answered from here'],
    ['-o json', 'the same for a program'],
  ],
  'serve key': [
    ['dashboard', 'prints a key, and the lines of portolan.yaml that let it in'],
    ['ci -o json', 'the same for a program'],
  ],
  down: [
    ['', 'ends what up --detach started, runs go on at the next start'],
    ['--config rehearsal.yaml', 'the same for another configuration'],
  ],
  worker: [
    ['', 'a worker for the Temporal server of portolan.yaml, until Ctrl-C'],
    ['--config rehearsal.yaml', 'the same for another configuration'],
  ],
  simulate: [
    [
      '--port 6080 --name staging --state ./var/staging --seed transport',
      'a portal with a group, which goes on where it was when it is started again',
    ],
    ['--version 10.9.1 --free-gb 5', 'an older one whose disk is nearly full'],
  ],
  status: [
    ['', 'on one screen, what waits for somebody; its exit status is for monitors'],
    ['-o json', 'the same for a program'],
  ],
  doctor: [
    ['transport', 'every check of a route'],
    [
      '--cluster',
      'Temporal and the rights there, workers and what waits for them, clocks, the store, portolan serve',
    ],
  ],
  diff: [
    ['transport', 'both groups side by side; ends with 20 where a sync would change something'],
    ['transport -o json', 'the same for a program'],
  ],
  sync: [
    ['transport', 'plan, your yes, import, proof'],
    ['transport --plan-only --exit-code', 'ends with 20 where a sync would change something'],
  ],
  clean: [
    ['', 'lists packages that ended runs left behind, on every portal'],
    ['production --yes', 'removes those on one'],
  ],
  'run list': [
    ['--route transport --limit 5', 'the newest five of a route'],
    ['--parked', 'those that wait for a correction'],
  ],
  'run show': [
    ['latest', 'all that is known of the newest run'],
    ['k7q2 --plan', 'each row of the plan of the run whose id ends so'],
  ],
  'run logs': [
    ['latest', 'what happened to the newest run, step by step'],
    ['k7q2 --problems', 'what failed in the one whose id ends so, also where it was tried again'],
  ],
  'run bundle': [
    ['latest', 'all that is known of the newest run in one file, to look through and to send'],
    ['k7q2 for-support.json.gz --force', 'the same into a file of that name, which it replaces'],
  ],
  'run watch': [
    ['latest', 'follows the newest run to its end'],
    ['k7q2 --timeout 10m', 'ends with 124 where the run still goes on by then'],
  ],
  'run approve': [
    ['k7q2 --plan b41c-77e0-9f13', 'says yes to the plan that was seen'],
    ['latest --plan b41c-77e0-9f13 --reason "seen with the team"', 'says why, for the record'],
  ],
  'run reject': [
    ['k7q2', 'says no, which ends the run'],
    ['latest --reason "not before the weekend"', 'says why, for the record'],
  ],
  'run resume': [
    ['latest', 'goes on with a parked run'],
    ['k7q2 --set jobDeadline=12h --reason "a slow night"', 'goes on with a correction of its route'],
  ],
  'run restart': [
    ['latest --from upload', 'says what it would redo and reuse, and does nothing'],
    ['k7q2 --from guard --yes', 'does it all again as a new run'],
  ],
  'run rollback': [
    ['latest --yes', 'brings back what the newest run overwrote'],
    ['k7q2 --delete-created --yes-delete production --yes', 'removes what it created besides'],
  ],
  'run retry': [
    ['latest', 'imports just what failed or is unaccounted for'],
    ['k7q2 --bisect --yes', 'finds the items with which an import fails as a whole'],
  ],
  'run cancel': [
    ['latest --reason "the wrong group"', 'ends the run once no job of it runs on a portal'],
    ['k7q2 --now', 'does not wait for such a job, and says what it leaves running'],
  ],
  'backup create': [
    ['transport --tag upgrade', 'a snapshot with a word by which it is found again'],
    ['--from staging --group ' + GROUP, 'a group that is no route'],
  ],
  'backup drill': [
    ['transport', 'a portal reads the whole of the last good snapshot'],
    ['transport --import', 'and imports it, which is read back and taken away again'],
  ],
  restore: [
    [`latest:transport --to production --into ${INTO} --plan-only`, 'what a restore would do'],
    [`latest:transport --to production --into ${INTO} --overwrite --yes`, 'does it, and overwrites'],
  ],
  'snapshot list': [
    ['', 'snapshots, and how well each route is backed up'],
    ['--route transport --safeguards', 'what runs of a route overwrote'],
  ],
  'snapshot show': [
    ['latest:transport', 'the newest good backup of a route, and each of its items'],
    ['k7q2 -o json', 'the one whose id ends so, for a program'],
  ],
  'snapshot verify': [
    ['latest:transport', 'reads every byte of the newest good backup of a route'],
    ['--all', 'reads every byte of all that there are'],
  ],
  'snapshot diff': [
    ['latest:transport live', 'what has changed in the group since'],
    ['k7q2 latest:transport', 'what changed from one to the other'],
  ],
  'snapshot pin': [
    ['latest:transport', 'keeps it whatever the policy says'],
    ['k7q2 --reason "before the upgrade"', 'says why'],
  ],
  'snapshot unpin': [
    ['latest:transport', 'leaves it to the policy again'],
    ['k7q2', 'the same for the one whose id ends so'],
  ],
  completion: [
    ['bash', 'what ~/.bashrc takes by: source <(portolan completion bash)'],
    ['fish', 'the same for fish; zsh is the third'],
  ],
  'snapshot forget': [
    ['--route transport --keep-daily 14 --keep-monthly 12 --dry-run', 'why each one would stay or go'],
    ['k7q2 --yes', 'removes the one whose id ends so'],
  ],
  'snapshot export': [
    ['latest:transport transport.snapshot --key key', 'a signed file of it, for another store'],
    ['k7q2 k7q2.snapshot --key key', 'the same of the one whose id ends so'],
  ],
  'snapshot import': [
    ['transport.snapshot --trust key.pub', 'takes it in, if this key has signed it'],
    ['transport.snapshot --trust key.pub -o json', 'the same for a program; twice is once'],
  ],
  'snapshot keygen': [
    ['key', 'makes key and key.pub'],
    ['other-key -o json', 'the same for a program'],
  ],
  'release create': [
    ['traffic --reason "winter closures"', "what the pipeline's first stage holds now, as one release"],
    ['traffic --request-id build-42', 'the same from a job that may be repeated: one release'],
  ],
  'release list': [
    ['', 'all releases, newest first'],
    ['traffic -o json', 'those of a pipeline, for a program'],
  ],
  'release show': [
    ['latest:traffic', 'the newest release of a pipeline, and each of its groups'],
    ['2026.11.22-1 -o json', 'the one whose id ends so, for a program'],
  ],
  'release diff': [
    ['2026.11.22-1 latest:traffic', 'what the newest has otherwise'],
    ['2026.11.22-1 2026.11.22-2 -o json', 'the same of two, for a program'],
  ],
  'release pin': [
    ['latest:traffic', 'keeps it until it is unpinned'],
    ['2026.11.22-1 --reason "in production"', 'says why'],
  ],
  'release unpin': [
    ['latest:traffic', 'lets it be forgotten again'],
    ['2026.11.22-1', 'the same for the one whose id ends so'],
  ],
  'release export': [
    ['latest:traffic --to traffic.release --key key', 'a signed file of it, for another store'],
    ['2026.11.22-1 --to winter.release --key key -o json', 'the same of the one whose id ends so'],
  ],
  'release import': [
    ['traffic.release --trust key.pub', 'takes it in, if this key has signed it'],
    ['winter.release --trust key.pub -o json', 'the same for a program; twice is once'],
  ],
  'release forget': [
    ['2026.11.22-1 --yes', 'removes it; its snapshots stay'],
    ['latest:traffic --yes -o json', 'the same for the newest of a pipeline, for a program'],
  ],
  'promote start': [
    ['traffic --to production --plan-only --exit-code', 'what would change there; 20 where anything would'],
    ['traffic --to production --yes', 'what stands in the stage before comes to production'],
  ],
  'promote status': [
    ['', 'what stands in which stage of every pipeline, and what may come next'],
    ['traffic -o json', 'the same of one, for a program'],
  ],
  'promote diff': [
    ['traffic production', 'what the release that stands before would change there'],
    ['traffic production --release latest:traffic -o json', 'the same of the newest release, for a program'],
  ],
  'promote history': [
    ['traffic', 'what came to which stage and went back, by whom and why'],
    ['traffic production -o json', 'the same of one stage, for a program'],
  ],
  'promote rollback': [
    ['traffic production --reason "an app is broken" --yes', 'the stage becomes what it was'],
    ['traffic production --yes --request-id build-42', 'the same from a job that may be repeated'],
  ],
  'schedule list': [
    ['', 'how the last start of each ended, and when the next is due'],
    ['-o json', 'the same for a program'],
  ],
  'schedule show': [
    ['nightly-transport', 'all that is known of one, with its next five times'],
    ['nightly-transport -o json', 'the same for a program'],
  ],
  'schedule apply': [
    ['--dry-run --exit-code', 'what would change on the server; ends with 20 where something would'],
    ['--yes', 'makes the server match the file'],
  ],
  'schedule pause': [
    ['nightly-transport --reason "the portal is upgraded"', 'starts nothing until it is resumed'],
    ['sunday-drill --reason "no scratch portal"', 'the same for another one'],
  ],
  'schedule resume': [
    ['nightly-transport', 'undoes a pause'],
    ['sunday-drill', 'the same for another one'],
  ],
  'schedule trigger': [
    ['nightly-transport', 'a run of it now'],
    ['nightly-transport --overlap buffer-one', 'a run of it once the one that goes on has ended'],
  ],
  'schedule backfill': [
    [
      'nightly-transport --from 2026-11-20T00:00 --to 2026-11-22T00:00 --dry-run',
      'what was due in two days and has no run',
    ],
    ['nightly-transport --from 2026-11-20T00:00 --to 2026-11-22T00:00', 'starts that, one after the other'],
  ],
  'settings export': [
    ['staging', 'notices, banner and properties of a portal as YAML'],
    ['staging staging.yaml', 'the same into a file'],
  ],
  'settings diff': [
    ['production settings.yaml', 'what applying the file would change; ends with 20 where it would'],
    ['production settings.yaml -o json', 'the same for a program'],
  ],
  'settings apply': [
    ['production settings.yaml --yes', 'sets what the file says and the portal does not'],
    ['production --saved latest --yes', 'puts back what was there before the newest change'],
  ],
  'settings promote': [
    ['staging production --yes', 'gives one portal the settings of another, but those that name a host'],
    [
      'staging production --map survey.staging.example.com=survey.example.com --yes',
      'also those that name this host',
    ],
  ],
  'category-schema export': [
    ['staging', 'the categories of a portal as YAML'],
    ['staging before.yaml', 'the same into a file'],
  ],
  'category-schema diff': [
    ['production schema.yaml', 'what applying the file would change; ends with 20 where it would'],
    ['production schema.yaml -o json', 'the same for a program'],
  ],
  'category-schema apply': [
    ['production schema.yaml --yes', "makes the file the portal's schema"],
    ['production --saved latest --yes', 'puts back what was there before the newest change'],
  ],
  'category-schema delete': [
    ['production', 'takes the schema away, once the name of the portal has been typed'],
    ['production --yes-delete production', 'the same for a script'],
  ],
  'task-run update': [
    ['production 5c1e08d2 latest --user owner --status executing', "says that a task's newest run has begun"],
    [
      'production 5c1e08d2 latest --user owner --status succeeded --result "11 items"',
      'says how it ended, with a line of text',
    ],
  ],
  freeze: [
    ['production --reason "the portal is upgraded"', 'nothing is written into it until it is unfrozen'],
    ['staging --reason "the editors count on it today" -o json', 'the same of another portal, for a program'],
  ],
  unfreeze: [
    ['production', 'it may be written into again'],
    ['staging -o json', 'the same of another portal, for a program'],
  ],
  freezes: [
    ['', 'who froze which portal and who unfroze it, when and why'],
    ['production -o json', 'the same of one portal, for a program'],
  ],
  'queue list': [
    ['', 'who exports from and imports into which portal, and who waits'],
    ['-o json', 'the same for a program'],
  ],
  'queue release': [
    ['production/import k7q2 --reason "its job was ended by hand"', "takes the run's place away"],
    ['staging/export k7q2 --reason "its job was ended by hand" -o json', 'prints the result as JSON'],
  ],
  'deploy status': [
    ['', 'which builds there are, who has them, and how many runs keep to each'],
    ['-o json', 'the same for a program'],
  ],
  'deploy set-current': [
    ['3f9c01d2a7be', 'this build begins all runs from now on'],
    ['3f9c -o json', 'the same by the beginning of its id, for a program'],
  ],
  'deploy ramp': [
    ['3f9c --percent 10', 'this build begins ten of a hundred runs'],
    ['3f9c --percent 0 -o json', 'and none, for a program'],
  ],
  'deploy drain': [
    ['81d04c6e22aa', 'what keeps to this build, and what of it would move to the current one'],
    ['81d0 --yes', 'moves what stands still there'],
  ],
};

/** Words of the commands that have examples: `run show`. */
export const commandsWithExamples: readonly string[] = Object.keys(typed);

/** The examples of a command, by its words: `run show`; none of what is no command. */
export const examplesOf = (words: string): readonly Example[] =>
  (typed[words] ?? []).map(([rest, what]) => ({ line: `portolan ${words} ${rest}`.trimEnd(), what }));

/** Ends the help of every command in its examples. */
export function addExamples(command: CommandUnknownOpts, words: readonly string[] = []): void {
  for (const below of command.commands) addExamples(below, [...words, below.name()]);
  const examples = examplesOf(words.join(' '));
  if (examples.length === 0) return;
  const lines = examples.flatMap(({ line, what }) => [`  ${line}`, `      ${what}`]);
  command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}
