import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import type { ListedReleases } from '../../src/contract/releases';
import { commandsWithExamples, examplesOf } from '../../src/cli/terminal/examples';
import { type Ended, Portolan, portolan } from '../support/child';
import { inProcess } from '../support/in-process';
import { isLong } from '../support/long';
import { type Examples, nothingThere, openExamples } from './a-rehearsal-of-examples';

let world: Examples;
/** Processes that a test that failed leaves. */
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

const examples = commandsWithExamples.flatMap((words) =>
  examplesOf(words).map((line) => line.replace(/^portolan /, '')),
);

interface UntilStopped {
  readonly line: string;
  /** What it says once it is up. */
  readonly says: string;
  /** It starts much, to show what a shorter test shows as well: `npm run test:faults` types it. */
  readonly isLong?: boolean;
}

/** Examples that go on until Ctrl-C. */
const untilStopped: readonly UntilStopped[] = [
  { line: 'simulate --port 6080 --name staging --state ./var/staging --seed transport', says: 'ready' },
  { line: 'simulate --version 10.9.1 --free-gb 5', says: 'ready', isLong: true },
  { line: 'worker', says: 'polls', isLong: true },
  { line: 'worker --config rehearsal.yaml', says: 'polls', isLong: true },
  { line: 'serve start', says: 'serving at', isLong: true },
  { line: 'serve start --config rehearsal.yaml', says: 'serving at', isLong: true },
  { line: 'up', says: 'ready', isLong: true },
  { line: 'demo --promotion --keep', says: 'Ctrl-C stops everything', isLong: true },
];
const isTyped = (example: UntilStopped): boolean => isLong || !example.isLong;

/** Examples that leave a process running, or end one: typed where a Temporal server may be started. */
const isOfUp = (line: string): boolean => /^(up|down)\b/.test(line);

/** What takes as long as a test of its own, and has one: test/cli/local/demo.test.ts. */
const elsewhere = ['demo'];

/** A run that waits for its plan to be approved; whoever is asked is not there. */
const waits = ['sync transport', 4] as const;
/** A run that its portal refuses the import, so that it parks. */
const parks = 'a run parks';

type Step = readonly [line: string, status: number, isLong?: 'long'];

/**
 * Every other example with its exit status, in an order in which each finds what it needs, and lines like them with -o json.
 * 'long' marks the second of two that do the same: only `npm run test:faults` types it.
 */
const steps: readonly Step[] = [
  // Nobody is there to be asked, and what is there already stays.
  ['init', 2],
  [`init ${examplesOf('init')[1]?.replace('portolan init ', '')}`, 0],
  ['up --detach --config rehearsal.yaml', 0, 'long'],
  ['down --config rehearsal.yaml', 0, 'long'],
  // Nothing is up by then.
  ['down', 0],
  ['doctor transport', 0],
  // No server answers under the address that this configuration names.
  ['doctor --cluster', 1],
  ['protect list', 0],
  ['protect list -o json', 0],
  // The group is still empty.
  ['protect run official --reason "before the upgrade"', 0],
  ['protect show official', 0],
  ['protect show production/official -o json', 0],
  ['coverage production', 0],
  ['coverage production -o json', 0],
  // Its backups were never proven by a drill, and its schedules not applied.
  ['status -o json', 4],
  ['diff transport', 20],
  ['diff transport -o json', 20],
  ['sync transport --plan-only --exit-code', 20],
  [...waits, 'long'],
  ['run reject k7q2', 0, 'long'],
  waits,
  ['run reject latest --reason "not before the weekend"', 0],
  waits,
  ['run cancel latest --reason "the wrong group"', 0],
  [...waits, 'long'],
  ['run cancel k7q2 --now', 0, 'long'],
  waits,
  ['run approve latest --plan b41c-77e0-9f13 --reason "seen with the team"', 0],
  ['run watch latest', 0],
  ['run watch k7q2 --timeout 10m', 0],
  ['run logs latest', 0],
  ['run logs k7q2 --problems', 0],
  ['run show latest', 0],
  ['run show k7q2 --plan', 0],
  ['run bundle latest', 0],
  ['run bundle k7q2 for-support.json.gz --force', 0],
  ['run list --route transport --limit 5', 0],
  // Where no terminal reads it, the address is printed alone.
  ['open', 0],
  ['open latest', 0],
  ['run retry latest', 0],
  ['run retry k7q2 --bisect --yes', 0],
  ['run restart latest --from upload', 2],
  ['run restart k7q2 --from guard --yes', 4],
  ['run approve k7q2 --plan b41c-77e0-9f13', 0],
  ['run watch latest', 0],
  ['run rollback latest --yes', 0],
  ['run rollback k7q2 --delete-created --yes-delete production --yes', 0, 'long'],
  [parks, 4],
  ['run list --parked', 0],
  ['status', 4],
  ['run resume latest', 0],
  ['run watch latest', 0],
  [parks, 4, 'long'],
  ['run resume k7q2 --set jobDeadline=12h --reason "a slow night"', 0, 'long'],
  ['run watch latest', 0, 'long'],
  ['clean', 0],
  ['clean production --yes', 0],
  ['backup create --from staging --group 9f2c4b7de1a84c0fb3d1a6c25e7f90e1', 0, 'long'],
  ['backup create transport --tag upgrade', 0],
  ['backup drill transport', 0],
  ['backup drill transport --import', 0, 'long'],
  ['restore latest:transport --to production --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --plan-only', 0],
  ['restore latest:transport --to production --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --overwrite --yes', 0],
  ['snapshot list', 0],
  ['snapshot list --route transport --safeguards', 0],
  ['snapshot show latest:transport', 0],
  ['snapshot show k7q2 -o json', 0],
  ['snapshot verify latest:transport', 0],
  ['snapshot verify --all', 0],
  ['snapshot diff latest:transport live', 0],
  ['snapshot diff k7q2 latest:transport', 0],
  ['snapshot pin latest:transport', 0],
  ['snapshot pin k7q2 --reason "before the upgrade"', 0],
  ['snapshot unpin latest:transport', 0],
  ['snapshot unpin k7q2', 0],
  ['snapshot keygen key', 0],
  ['snapshot keygen other-key -o json', 0],
  ['snapshot export latest:transport transport.snapshot --key key', 0],
  ['snapshot export k7q2 k7q2.snapshot --key key', 0],
  ['snapshot import transport.snapshot --trust key.pub', 0],
  ['snapshot import transport.snapshot --trust key.pub -o json', 0],
  ['snapshot forget --route transport --keep-daily 14 --keep-monthly 12 --dry-run', 0],
  // The last good one of its route stays.
  ['snapshot forget k7q2 --yes', 1],
  ['release create traffic --reason "winter closures"', 0],
  ['release create traffic --request-id build-42', 0],
  ['release list', 0],
  ['release list traffic -o json', 0],
  ['release show latest:traffic', 0],
  ['release show m4wd -o json', 0],
  ['release diff m4wd latest:traffic', 0],
  ['release diff m4wd latest -o json', 0],
  ['release pin latest:traffic', 0],
  ['release pin m4wd --reason "in production"', 0],
  ['release unpin latest:traffic', 0],
  ['release unpin m4wd', 0],
  ['release export latest:traffic --to traffic.release --key key', 0],
  ['release export m4wd --to winter.release --key key -o json', 0],
  ['release import traffic.release --trust key.pub', 0],
  ['release import winter.release --trust key.pub -o json', 0],
  ['promote start traffic --to production --plan-only --exit-code', 20],
  ['promote diff traffic production', 20],
  ['promote diff traffic production --release latest:traffic -o json', 20],
  ['promote start traffic --to production --yes', 0],
  ['promote status', 0],
  ['promote status traffic -o json', 0],
  ['promote history traffic', 0],
  ['promote history traffic production -o json', 0],
  ['promote rollback traffic production --reason "an app is broken" --yes', 0],
  // Nothing stands there any more.
  ['promote rollback traffic production --yes --request-id build-42', 1],
  ['release forget m4wd --yes', 0],
  ['release forget latest:traffic --yes -o json', 0],
  ['settings export staging', 0],
  ['settings export staging staging.yaml', 0],
  ['settings diff production settings.yaml', 20],
  ['settings diff production settings.yaml -o json', 20],
  ['settings apply production settings.yaml --yes', 0],
  ['settings apply production --saved latest --yes', 0, 'long'],
  ['settings promote staging production --yes', 0],
  [
    'settings promote staging production --map survey.staging.example.com=survey.example.com --yes',
    0,
    'long',
  ],
  ['category-schema export staging', 0],
  ['category-schema export staging before.yaml', 0],
  ['category-schema diff production schema.yaml', 20],
  ['category-schema diff production schema.yaml -o json', 20],
  ['category-schema apply production schema.yaml --yes', 0],
  // Nobody is there to type the portal's name.
  ['category-schema delete production', 2],
  ['category-schema delete production --yes-delete production', 0],
  ['category-schema apply production --saved latest --yes', 0, 'long'],
  ['task-run update production 5c1e08d2 latest --user owner --status executing', 0, 'long'],
  ['task-run update production 5c1e08d2 latest --user owner --status succeeded --result "11 items"', 0],
  ['freeze production --reason "the portal is upgraded"', 0],
  ['unfreeze production', 0],
  ['freeze staging --reason "the editors count on it today" -o json', 0],
  ['unfreeze staging -o json', 0],
  ['freezes', 0],
  ['freezes production -o json', 0],
  ['completion bash', 0],
  ['completion fish', 0],
  // Nothing answers there, and no server is named here.
  ['login http://127.0.0.1:8350 --no-browser', 11],
  ['login', 2],
  ['logout https://portolan.example.com', 0],
  ['logout -o json', 2],
  ['whoami', 0],
  ['whoami -o json', 0],
  ['serve key dashboard', 0],
  ['serve key ci -o json', 0],
  ['hook list', 0],
  ['hook list -o json', 0],
  ['hook test tickets', 0],
  ['hook test ci', 0],
  ['queue list', 0],
  ['queue list -o json', 0],
  // No run is in these portal queues any more.
  ['queue release production/import k7q2 --reason "portal job stopped manually"', 10],
  ['queue release staging/export k7q2 --reason "portal job stopped manually" -o json', 10],
  ['schedule apply --dry-run --exit-code', 20],
  ['schedule apply --yes', 0],
  ['schedule list', 0],
  ['schedule list -o json', 0],
  ['schedule show nightly-transport', 0],
  ['schedule show nightly-transport -o json', 0],
  ['schedule pause nightly-transport --reason "the portal is upgraded"', 0],
  ['schedule pause sunday-drill --reason "no scratch portal"', 0],
  ['schedule resume nightly-transport', 0],
  ['schedule resume sunday-drill', 0],
  ['schedule trigger nightly-transport', 0],
  ['schedule trigger nightly-transport --overlap buffer-one', 0, 'long'],
];

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

const typed = (line: string) =>
  isOfUp(line)
    ? portolan(wordsOf(line), { cwd: world.elsewhere })
    : inProcess(wordsOf(line), { cwd: world.folder });

/** A line as the rehearsal has it: its newest run or snapshot, that run's plan, and its first release. */
async function asHere(line: string): Promise<string> {
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

describe('an example of the help', () => {
  it('is typed here, each of them', () => {
    const known = [...elsewhere, ...steps.map(([line]) => line), ...untilStopped.map(({ line }) => line)];
    expect(examples.filter((line) => !known.includes(line))).toEqual([]);
  });

  it.each(steps.filter(([, , long]) => isLong || !long))('%s', async (line, status) => {
    if (line === parks) world.refuseImport();
    if (line === parks || line.startsWith('run restart')) world.edit();
    const ended = await typed(await asHere(line === parks ? 'sync transport --yes' : line));
    expect([ended.status === status ? '' : ended.stderr, ended.status]).toEqual(['', status]);
  });

  it.each(untilStopped.filter(isTyped))('goes on until Ctrl-C: $line', async (example) => {
    const { status, stderr } = await stopped(example);
    expect([status === 0 ? '' : stderr, status]).toEqual(['', 0]);
  });
});

/** Runs an example until it is up, and ends it. */
async function stopped({ line, says }: UntilStopped): Promise<Ended> {
  const cwd = isOfUp(line) ? world.elsewhere : world.folder;
  const started = new Portolan(wordsOf(line.replace('6080', '0')), { cwd });
  begun.push(started);
  await started.says(says);
  started.child.kill('SIGINT');
  return await started.ended;
}
