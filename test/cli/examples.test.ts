import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import type { ListedReleases } from '../../src/contract/releases';
import { commandWords } from '../../src/cli/command-tree';
import { actions, type PageAction } from '../../src/serve/page/actions/table';
import { commands } from '../docs/commands';
import { Portolan, portolan } from '../support/child';
import { expectEnd, inProcess } from '../support/in-process';
import { isLong, itLong } from '../support/long';
import { wordsOf } from '../support/typed-in';
import { type Examples, nothingThere, openExamples } from './examples-site';
import { misfits, printsNone, shapes } from './json/shapes';

let world: Examples;
/** Processes that a failed test leaves. */
const begun: Portolan[] = [];
const before = process.cwd();

beforeAll(async () => {
  world = await openExamples();
  process.chdir(world.folder);
});
afterAll(async () => {
  process.chdir(before);
  for (const { child } of begun) child.kill('SIGKILL');
  await world?.close();
});

const examples = commands.flatMap(({ examples: lines }) =>
  lines.map((line) => line.replace(/^portolan /, '')),
);

/** Examples that run until Ctrl-C, and what they say once they are up. */
const untilStopped = {
  'simulate --port 6080 --name staging --state ./var/staging --seed transport': 'ready',
  'simulate --version 10.9.1 --free-gb 5': 'ready',
  worker: 'polls',
  'worker --config rehearsal.yaml': 'polls',
  'serve start': 'serving at',
  'serve start --config rehearsal.yaml': 'serving at',
  up: 'ready',
  'demo --promotion --keep': 'Ctrl-C stops everything',
};

/** Examples that leave a process running, or end one: typed where a Temporal server may be started. */
const isOfUp = (line: string) => /^(up\b|down --)/.test(line);

/** Held by test/cli/local/demo.test.ts. */
const elsewhere = ['demo'];

/** A run that waits for approval, since no one can be asked. */
const waits = ['sync transport', 4] as const;
/** A run that parks because the portal refuses the import. */
const parks = 'a run parks';

type Step = readonly [line: string, status: number, ...how: ('long' | 'json')[]];

/**
 * Every other example with its exit status, in an order in which each finds what it needs, and lines like them.
 * 'json' has -o json added: what is printed has to be of its shape. 'long' marks what another step or suite types as well:
 * only `npm run test:faults` types it here.
 */
const steps: readonly Step[] = [
  // No one can be asked, and the file exists.
  ['init', 2],
  [examples.find((line) => line.startsWith('init --from')) ?? '', 0, 'json'],
  ['up --detach --config rehearsal.yaml', 0, 'long', 'json'],
  ['down --config rehearsal.yaml', 0, 'long'],
  // Nothing is up.
  ['down', 0, 'json'],
  ['doctor transport', 0],
  ['doctor', 0, 'json'],
  // No server answers under the address that this configuration names.
  ['doctor --cluster', 1],
  ['protect list', 0],
  ['protect list -o json', 0],
  // The group is still empty.
  ['protect run official --reason "before the upgrade"', 0, 'json'],
  ['protect show official', 0],
  ['protect show production/official -o json', 0],
  ['coverage production', 0],
  ['coverage production -o json', 0],
  // Its backups were never proven by a drill, and its schedules not applied.
  ['status -o json', 4],
  ['diff transport', 20],
  ['diff transport', 20, 'json'],
  ['sync transport --plan-only --exit-code', 20, 'long', 'json'],
  [...waits, 'long'],
  ['run reject k7q2', 0, 'long'],
  [...waits, 'long'],
  ['run cancel latest --reason "the wrong group"', 0, 'long', 'json'],
  [...waits, 'long'],
  ['run cancel k7q2 --now', 0, 'long'],
  [...waits, 'json'],
  ['run approve latest --plan b41c-77e0-9f13 --reason "seen with the team"', 0, 'json'],
  ['run watch latest', 0],
  ['run watch k7q2 --timeout 10m', 0, 'json'],
  ['run logs latest', 0],
  ['run logs k7q2 --problems', 0, 'json'],
  ['run show latest', 0],
  ['run show latest', 0, 'json'],
  ['run show k7q2 --plan', 0],
  ['run bundle latest', 0],
  ['run bundle k7q2 for-support.json.gz --force', 0, 'json'],
  ['run list --route transport --limit 5', 0, 'json'],
  // Without a terminal, it only prints the address.
  ['open', 0],
  ['open latest', 0, 'json'],
  ['run retry latest', 0],
  ['run retry k7q2 --bisect --yes', 0, 'json'],
  ['run restart latest --from upload', 2, 'json'],
  ['run restart k7q2 --from guard --yes', 4, 'long'],
  ['run reject latest --reason "not before the weekend"', 0, 'long', 'json'],
  ['run watch latest', 5, 'long'],
  ['run restart k7q2 --from guard --yes', 4, 'long'],
  ['run approve k7q2 --plan b41c-77e0-9f13', 0, 'long'],
  ['run watch latest', 0, 'long'],
  [parks, 4, 'long'],
  ['run list --parked', 0],
  ['status', 4],
  ['run resume latest', 0, 'long', 'json'],
  ['run watch latest', 0, 'long'],
  ['run rollback latest --yes', 0, 'long', 'json'],
  ['run rollback k7q2 --delete-created --yes-delete production --yes', 0, 'long'],
  [parks, 4, 'long'],
  ['run resume k7q2 --set jobDeadline=12h --reason "a slow night"', 0, 'long'],
  ['run watch latest', 0, 'long'],
  ['clean', 0],
  ['clean production --yes', 0, 'json'],
  ['backup create --from staging --group 9f2c4b7de1a84c0fb3d1a6c25e7f90e1', 0, 'long'],
  ['backup create transport --tag upgrade', 0, 'json'],
  ['backup drill transport', 0, 'long', 'json'],
  ['backup drill transport --import', 0, 'long'],
  [
    'restore latest:transport --to production --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --plan-only',
    0,
    'long',
    'json',
  ],
  [
    'restore latest:transport --to production --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --overwrite --yes',
    0,
    'long',
  ],
  ['snapshot list', 0],
  ['snapshot list --route transport --safeguards', 0, 'json'],
  ['snapshot show latest:transport', 0],
  ['snapshot show k7q2 -o json', 0],
  ['snapshot verify latest:transport', 0],
  ['snapshot verify --all', 0, 'json'],
  ['snapshot diff latest:transport live', 0],
  ['snapshot diff k7q2 latest:transport', 0, 'json'],
  ['item list', 0, 'json'],
  ['item list projects --portal staging', 0],
  ['item history a1000000000000000000000000000001', 0],
  ['item history a1000000000000000000000000000001', 0, 'json'],
  ['item show a1000000000000000000000000000001 --at latest:transport', 0],
  ['item show a1000000000000000000000000000001 --at latest:transport', 0, 'json'],
  ['item diff a1000000000000000000000000000001 latest:transport live', 0],
  ['item diff a1000000000000000000000000000001 latest:transport live', 0, 'json'],
  ['item restore a1000000000000000000000000000001 --at latest:transport --yes', 0, 'long', 'json'],
  ['item restore a1000000000000000000000000000001 --at k7q2 --plan-only', 0, 'long'],
  ['snapshot pin latest:transport', 0, 'json'],
  ['snapshot pin k7q2 --reason "before the upgrade"', 0],
  ['snapshot unpin latest:transport', 0, 'json'],
  ['snapshot unpin k7q2', 0],
  ['snapshot keygen key', 0],
  ['snapshot keygen other-key', 0, 'json'],
  ['snapshot export latest:transport transport.snapshot --key key', 0],
  ['snapshot export k7q2 k7q2.snapshot --key key', 0, 'json'],
  ['snapshot import transport.snapshot --trust key.pub', 0],
  ['snapshot import transport.snapshot --trust key.pub', 0, 'json'],
  ['snapshot forget --route transport --keep-daily 14 --keep-monthly 12 --dry-run', 0, 'json'],
  // The last good one of its route stays.
  ['snapshot forget k7q2 --yes', 1],
  ['release create traffic --reason "winter closures"', 0, 'json'],
  ['release create traffic --request-id build-42', 0, 'long'],
  ['release list', 0],
  ['release list traffic -o json', 0],
  ['release show latest:traffic', 0],
  ['release show m4wd', 0, 'json'],
  ['release diff m4wd latest:traffic', 0],
  ['release diff m4wd latest', 0, 'json'],
  ['release pin latest:traffic', 0, 'json'],
  ['release pin m4wd --reason "in production"', 0],
  ['release unpin latest:traffic', 0, 'json'],
  ['release unpin m4wd', 0],
  ['release block latest:traffic --reason "wrong speed limits"', 0, 'json'],
  ['release unblock latest:traffic --reason "fixed by hand"', 0, 'json'],
  ['release export latest:traffic --to traffic.release --key key', 0],
  ['release export m4wd --to winter.release --key key', 0, 'json'],
  ['release import traffic.release --trust key.pub', 0],
  ['release import winter.release --trust key.pub', 0, 'json'],
  ['promote start traffic --to production --plan-only --exit-code', 20, 'long', 'json'],
  ['promote diff traffic production', 20],
  ['promote diff traffic production --release latest:traffic -o json', 20],
  ['promote start traffic --to production --yes', 0],
  ['promote status', 0],
  ['promote status traffic -o json', 0],
  ['promote history traffic', 0],
  ['promote history traffic production -o json', 0],
  ['promote rollback traffic production --reason "an app is broken" --yes', 0, 'json'],
  // The stage is empty.
  ['promote rollback traffic production --yes --request-id build-42', 1],
  ['release forget m4wd --yes', 0, 'long'],
  ['release forget latest:traffic --yes', 0, 'json'],
  ['settings export staging', 0, 'json'],
  ['settings export staging staging.yaml', 0, 'json'],
  ['settings diff production settings.yaml', 20],
  ['settings diff production settings.yaml', 20, 'json'],
  ['settings apply production settings.yaml --yes', 0, 'json'],
  ['settings apply production --saved latest --yes', 0, 'long'],
  ['settings promote staging production --yes', 0, 'long', 'json'],
  [
    'settings promote staging production --map survey.staging.example.com=survey.example.com --yes',
    0,
    'long',
  ],
  ['category-schema export staging', 0, 'json'],
  ['category-schema export staging before.yaml', 0],
  ['category-schema diff production schema.yaml', 20],
  ['category-schema diff production schema.yaml', 20, 'json'],
  ['category-schema apply production schema.yaml --yes', 0, 'json'],
  // No one can type the portal's name.
  ['category-schema delete production', 2],
  ['category-schema delete production --yes-delete production', 0, 'long', 'json'],
  ['category-schema apply production --saved latest --yes', 0, 'long'],
  ['task-run update production 5c1e08d2 latest --user owner --status executing', 0, 'long'],
  [
    'task-run update production 5c1e08d2 latest --user owner --status succeeded --result "11 items"',
    0,
    'json',
  ],
  ['freeze production --reason "the portal is upgraded"', 0],
  ['unfreeze production', 0],
  ['freeze staging --reason "the editors count on it today"', 0, 'json'],
  ['unfreeze staging', 0, 'json'],
  ['freezes', 0],
  ['freezes production -o json', 0],
  ['completion bash', 0],
  ['completion fish', 0, 'json'],
  // Nothing answers there, and no server is named here.
  ['login http://127.0.0.1:8350 --no-browser', 11],
  ['login', 2],
  ['logout https://portolan.example.com', 0, 'json'],
  ['logout', 2, 'json'],
  ['whoami', 0],
  ['whoami', 0, 'json'],
  ['serve key dashboard', 0],
  ['serve key ci', 0, 'json'],
  ['hook list', 0],
  ['hook list', 0, 'json'],
  ['hook test tickets', 0, 'json'],
  ['hook test ci', 0, 'json'],
  ['queue list', 0],
  ['queue list', 0, 'json'],
  // No run is in these portal queues any more.
  ['queue release production/import k7q2 --reason "portal job stopped manually"', 10],
  ['queue release staging/export k7q2 --reason "portal job stopped manually"', 10, 'json'],
  ['schedule apply --dry-run --exit-code', 20, 'json'],
  ['schedule apply --yes', 0],
  ['schedule list', 0],
  ['schedule list', 0, 'json'],
  ['schedule show nightly-transport', 0],
  ['schedule show nightly-transport', 0, 'json'],
  ['schedule pause nightly-transport --reason "the portal is upgraded"', 0],
  ['schedule pause sunday-drill --reason "no scratch portal"', 0, 'json'],
  ['schedule resume nightly-transport', 0],
  ['schedule resume sunday-drill', 0, 'json'],
  ['schedule trigger nightly-transport', 0, 'json'],
  ['schedule trigger nightly-transport --overlap buffer-one', 0, 'long'],
];

/** Commands that no server runs for others: docs/guide/access.md lists them. */
const isLocal = (line: string) =>
  /^(init|down|login|logout|whoami|clean|doctor --cluster|run bundle|snapshot keygen|hook test ci)\b/.test(
    line,
  ) || /^(snapshot|release) (export|import)\b/.test(line);

async function typed(line: string) {
  if (isOfUp(line)) return await portolan(wordsOf(line), { cwd: world.elsewhere });
  process.env['PORTOLAN_SERVER'] = isLocal(line) ? '' : (world.server?.url ?? '');
  return await inProcess(wordsOf(line), { cwd: world.folder });
}

/** A line as the site has it: its newest run or snapshot, that run's plan, and its first release. */
async function asHere(line: string) {
  const here = world.named(line).replaceAll('k7q2', 'latest').replace('http://127.0.0.1:8350', nothingThere);
  if (here.includes('m4wd')) {
    const { stdout } = await typed('release list traffic -o json');
    const { releases } = JSON.parse(stdout) as ListedReleases;
    return here.replace('m4wd', releases.at(-1)?.id ?? 'no release');
  }
  if (!here.includes('b41c-77e0-9f13')) return here;
  const { stdout } = await typed('run show latest -o json');
  return here.replace('b41c-77e0-9f13', (JSON.parse(stdout) as RunRecord).plan?.hash ?? 'no plan');
}

const isOf = (words: string, line: string) => `${line} `.startsWith(`${words} `);

const isJson = (line: string, how: readonly string[]) => how.includes('json') || line.endsWith(' -o json');

/** Commands whose shape no step can show: no run holds a slot for long, and a browser signs in. */
const shownElsewhere = ['queue release', 'login'];

it.each(commandWords)('a command has examples and one shape with -o json: %s', (words) => {
  expect(commands.find(({ path }) => path === `portolan ${words}`)?.examples).not.toEqual([]);
  if (words in printsNone) return;
  const isTypedSo = steps.some(
    ([line, status, ...how]) => isOf(words, line) && isJson(line, how) && status !== 10,
  );
  const lacks = 'add it to test/cli/json/shapes.ts, and a step with json to this test';
  expect(words in shapes && isTypedSo !== shownElsewhere.includes(words) ? '' : lacks).toBe('');
});

it.each(Object.entries<PageAction>(actions))(
  'the command of a form in the web UI exists with its options: %s',
  (_id, { command, fields }) => {
    const line = command.replace('portolan promote :', 'portolan promote start :');
    const [name] = /^portolan [a-z ]*[a-z]/.exec(line) ?? [];
    const options = [line, ...Object.values(fields).map(({ option = '' }) => option)].join(' ');
    const { flags } = commands.find(({ path }) => path === name) ?? { flags: [] };
    expect(flags).toEqual(expect.arrayContaining(options.match(/--[\w-]+/g) ?? []));
    expect(flags).not.toEqual([]);
  },
);

describe('an example of the help', () => {
  it('is typed here', () => {
    const known = [...elsewhere, ...steps.map(([line]) => line), ...Object.keys(untilStopped)];
    expect(examples.filter((line) => !known.includes(line))).toEqual([]);
  });

  it.each(steps.filter(([, , ...how]) => isLong || !how.includes('long')))(
    '%s',
    async (line, status, ...how) => {
      if (line === parks) world.refuseImport();
      if (line === parks || line.startsWith('run restart')) world.edit();
      const here = await asHere(line === parks ? 'sync transport --yes' : line);
      const ended = await expectEnd(typed(how.includes('json') ? `${here} -o json` : here), status);
      const words = commandWords.find((each) => isOf(each, line)) ?? line;
      if (isJson(line, how)) expect(misfits(words, ended.stdout)).toBe('');
    },
  );

  // Shorter tests show the same of each: usage.test.ts, and those of `up`, `serve` and the worker.
  for (const [line, says] of Object.entries(untilStopped))
    itLong(`runs until Ctrl-C: ${line}`, async () => {
      const cwd = isOfUp(line) ? world.elsewhere : world.folder;
      const started = new Portolan(wordsOf(line.replace('6080', '0')), { cwd });
      begun.push(started);
      await started.says(says);
      started.child.kill('SIGINT');
      await expectEnd(started.ended, 0);
    });
});
