import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type * as Prompts from '../../../src/cli/terminal/prompts';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/config/load-config';
import type { RunRecord } from '../../../src/model/run/run';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator';
import { removeUp, writeUp } from '../../../src/temporal/dev-server/up-file';
import type { RunningWorker } from '../../../src/temporal/worker';
import { connectToTestServer, ownNamespace, temporalAddress } from '../../support/temporal';
import { until } from '../../support/until';
import { type Ended, portolan, Portolan } from '../../support/child';
import { freeServerPort } from '../../support/free-port';
import { inProcess } from '../../support/in-process';
import { startTestWorker } from '../../support/worker';
import { recordOf } from '../../support/json';

/** What somebody at a terminal answers, one after the other; nobody is there once all is said. */
const mockAnswers: string[] = [];
const mockAnswer = (): Promise<string | undefined> => Promise.resolve(mockAnswers.shift());
jest.mock('../../../src/cli/terminal/prompts', () => ({
  ...jest.requireActual<typeof Prompts>('../../../src/cli/terminal/prompts'),
  canAsk: () => mockAnswers.length > 0,
  choice: mockAnswer,
  line: mockAnswer,
}));

const items = 3;
/** Where every run needs an approval, since a route says so. */
const strictGroupId = 'e0000000000000000000000000000009';
let folder: string;
/** Its own, since runs are counted and taken by an end of their id. */
let namespace: string;
let source: Simulator;
let target: Simulator;
let worker: RunningWorker;
let targets = 0;

const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: folder });
const shortOf = ({ runId }: RunRecord): string => runId.slice(runId.lastIndexOf('-') + 1);

/** The target of every test is empty at first, at the address that the configuration names. */
async function renewTarget(): Promise<void> {
  // Nobody is given that port who asks for any while the portal is exchanged.
  const port = target?.port ?? (await freeServerPort());
  await target?.close();
  target = await startSimulator({
    name: 'production',
    version: '11.4',
    seed: 'empty',
    jobPolls: 0,
    state: path.join(folder, `target-${targets++}`),
    port,
  });
  const { groups } = target.world;
  groups.put(strictGroupId, { ...groups.get(emptyGroupId)!, id: strictGroupId });
}

function writeConfig(): void {
  const portal = (url: string, password = './owner') =>
    `{ url: "${url}", auth: { type: password, username: owner, password: { file: ${password} } } }`;
  const ends = `source: { portal: staging, group: ${manyGroupId} }, target: { portal: production, group: ${emptyGroupId} }`;
  writeFileSync(path.join(folder, 'owner'), 'owner-pw\n');
  writeFileSync(path.join(folder, 'wrong'), 'wrong-pw\n');
  writeFileSync(
    path.join(folder, 'portolan.yaml'),
    `temporal: { address: "${temporalAddress()}", namespace: ${namespace}, taskQueue: cli-tests }
portals:
  staging: ${portal(source.url)}
  production: ${portal(target.url)}
  locked: ${portal(target.url.replace('127.0.0.1', 'localhost'), './wrong')}
  app: { url: "http://127.0.0.1:1/portal/sharing/rest", auth: { type: clientCredentials, clientId: a, clientSecret: { file: ./owner } } }
routes:
  asks: { ${ends} }
  free: { ${ends}, approval: none }
  strict: { ${ends.replace(emptyGroupId, strictGroupId)}, approval: required }
`,
  );
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'portolan-runs-'));
  source = await startSimulator({
    name: 'staging',
    version: '11.2',
    seed: 'many',
    seedItems: items,
    jobPolls: 0,
    state: path.join(folder, 'source'),
  });
  await renewTarget();
  namespace = await ownNamespace();
  writeConfig();
  worker = await startTestWorker(loadConfig(path.join(folder, 'portolan.yaml')), folder);
});
afterAll(async () => {
  await worker?.stop();
  await Promise.all([source?.close(), target?.close()]);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(renewTarget);

describe('a sync', () => {
  it('prints its record as JSON and nothing else on stdout, and all that happens on stderr', async () => {
    const ended = await portolan(['sync', 'free', '-o', 'json'], { cwd: folder });
    expect(recordOf(ended)).toMatchObject({
      kind: 'sync',
      status: 'succeeded',
      target: 'changed',
      plan: { create: items, overwrite: 0 },
      route: { name: 'free' },
    });
    expect(recordOf(ended).items?.imported).toHaveLength(items);
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(/^free staging \(e000\.\.03\) -> production \(e000\.\.01\)\n/);
    for (const phase of [
      'guard',
      'export',
      'download',
      'upload',
      'preview',
      'approve',
      'import',
      'verify',
      'cleanup',
    ]) {
      expect(ended.stderr).toMatch(new RegExp(`^ok {2}${phase} `, 'm'));
    }
    expect(ended.stderr).not.toContain('\u001b');
  });

  it('says once which phase failed, though two phases share its line', async () => {
    source.faults.add({
      match: { operation: 'group.export' },
      do: { error: { code: 400, message: 'Unable to export.' } },
    });
    const ended = await run('sync', 'free');
    source.faults.clear();
    expect(ended.stderr.match(/^!! {2}export .*Unable to export.*$/gm)).toHaveLength(1);
    expect(ended.stderr.match(/^!! /gm)).toHaveLength(1);
    expect(ended.status).toBe(1);
  });

  it('writes a line for each phase where ndjson is asked for, and the record last', async () => {
    const lines = (await run('sync', 'free', '-o', 'ndjson')).stdout.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.slice(0, -1).every(({ event }) => event === 'phase')).toBe(true);
    expect(events.at(-1)).toMatchObject({ status: 'succeeded', kind: 'sync' });
  });

  it('waits with status 4 where nobody can be asked, and goes on once its plan is approved', async () => {
    const waiting = await run('sync', 'asks');
    expect(waiting.status).toBe(4);
    const [, short, hash] =
      /approve {2}portolan run approve (\w+) --plan ([\w-]+)\n/.exec(waiting.stdout) ?? [];
    expect(waiting.stdout).toContain('Waiting for approval. Target: unchanged. Exit status 4.');

    // The index of Temporal tells the phase a moment later.
    const listed = async () =>
      JSON.parse(
        (await run('run', 'list', '--route', 'asks', '--status', 'waiting', '-o', 'json')).stdout,
      ) as { phase?: string }[];
    const inApproval = await until('the run in its approval', listed, ([row]) => row?.phase === 'approve');
    expect(inApproval).toMatchObject([{ route: 'asks', status: 'waiting', phase: 'approve' }]);
    expect((await run('run', 'show', short!, '--plan')).stdout.match(/^create /gm)).toHaveLength(items);

    const wrong = await run('run', 'approve', short!, '--plan', '0000-0000-0000');
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toContain(`waits with plan ${hash}, not 0000-0000-0000`);

    const approved = await run('run', 'approve', short!, '--plan', hash!, '--reason', 'looks right');
    expect(approved).toMatchObject({
      status: 0,
      stdout: `approved: plan ${hash}\nwatch    portolan run watch ${short}\n`,
    });
    const watched = await run('run', 'watch', short!, '-o', 'json');
    expect(watched.status).toBe(0);
    expect(recordOf(watched)).toMatchObject({ status: 'succeeded' });
    expect(recordOf(watched).actions).toContainEqual(
      expect.objectContaining({ what: 'approve', reason: 'looks right', who: expect.stringContaining('@') }),
    );
    expect((await run('run', 'show', short!)).stdout).toMatch(/^SUCCEEDED sync-asks-/);
  });

  it('is answered where it is watched: its plan after a look at the whole list, and later again', async () => {
    const { runId } = recordOf(await run('sync', 'strict', '-o', 'json'));
    mockAnswers.push('list', 'later');
    const left = await run('run', 'watch', runId);
    expect(left).toMatchObject({ status: 130 });
    expect(left.stderr).toMatch(/^create {2}Count 1 +CSV .* c0+1/m);
    expect(left.stderr).toContain('Stopped watching; the run continues.');
    mockAnswers.push('reject', 'not before the weekend');
    expect(await run('run', 'watch', runId)).toMatchObject({ status: 5 });
    const { actions } = recordOf(await run('run', 'show', runId, '-o', 'json'));
    expect(actions.at(-1)).toMatchObject({ what: 'reject', reason: 'not before the weekend' });
  });

  it('is answered where it is watched: parked, it is resumed', async () => {
    target.faults.add({
      match: { operation: 'group.import', params: { previewOnly: 'false' } },
      times: 1,
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
    const { runId } = recordOf(await run('sync', 'free', '-o', 'json'));
    mockAnswers.push('later');
    expect(await run('run', 'watch', runId)).toMatchObject({ status: 130 });
    mockAnswers.push('resume');
    const ended = await run('run', 'watch', runId);
    expect([ended.status === 0 ? '' : ended.stderr, ended.status]).toEqual(['', 0]);
    expect(ended.stderr).toMatch(/^why {6}PERMISSION_DENIED/m);

    // Its page is opened by whatever opens pages here.
    const opened = path.join(folder, 'opened');
    const browser = path.join(folder, 'browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
    process.env.BROWSER = browser;
    const nowhere = await run('run', 'show', runId, '--ui');
    expect(nowhere).toMatchObject({ status: 2 });
    expect(nowhere.stderr).toContain("Start 'portolan up' here, with --ui for Temporal's Web UI");
    const { state } = loadConfig(path.join(folder, 'portolan.yaml')).temporal;
    mkdirSync(state, { recursive: true });
    await writeUp(state, { ui: 'http://127.88.3.9:23111' });
    expect(await run('run', 'show', runId, '--open')).toMatchObject({ status: 0 });
    delete process.env.BROWSER;
    await removeUp(state);
    const page = () => Promise.resolve(existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    // The page that tells, and not the events.
    expect(await until('the page is opened', page, (text) => text.endsWith('\n'))).toMatch(
      new RegExp(`^http://127.88.3.9:23111/.*/workflows/${runId}/[0-9a-f-]{36}/user-metadata\n$`),
    );
  });

  it('is approved by --yes where the route asks, and not where it requires an approval', async () => {
    expect((await run('sync', 'asks', '--yes')).status).toBe(0);
    await renewTarget();
    const strict = await run('sync', 'strict', '--yes', '-o', 'json');
    expect(strict.status).toBe(4);
    const rejected = await run('run', 'reject', shortOf(recordOf(strict)), '--reason', 'not today');
    expect(rejected.status).toBe(0);
    const ended = await run('run', 'watch', recordOf(strict).runId);
    expect(ended.status).toBe(5);
    expect(ended.stdout).toContain('Target: unchanged. Exit status 5.\nwhy      REJECTED ');
  });

  it('of the same request id is the same run, also when it is typed while the first run continues', async () => {
    const [first, second] = await Promise.all([
      run('sync', 'free', '--request-id', 'night-1', '-o', 'json'),
      run('sync', 'free', '--request-id', 'night-1', '-o', 'json'),
    ]);
    const third = await run('sync', 'free', '--request-id', 'night-1', '--no-wait', '-o', 'json');
    expect(new Set([first, second, third].map((each) => recordOf(each).runId)).size).toBe(1);
    const other = await run('sync', 'free', '--request-id', 'night-1', '--overwrite');
    expect(other).toMatchObject({ status: 2, stdout: '' });
    expect(other.stderr).toContain('This request ID has already started sync-free-request-');
  });

  it('goes on when the wait for it is over or somebody presses Ctrl-C', async () => {
    // It neither ends before the wait for it is over, nor before the key is pressed.
    source.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const late = await run('sync', 'free', '--timeout', '500ms', '-o', 'json');
    source.settings.jobPolls = 0;
    expect(late.status).toBe(124);
    expect(late.stderr).toContain('Timed out; the run continues. Target: ');
    expect((await run('run', 'watch', recordOf(late).runId)).status).toBe(0);

    await renewTarget();
    source.settings.jobPolls = Number.MAX_SAFE_INTEGER;
    const interrupted = new Portolan(['sync', 'asks'], { cwd: folder });
    await interrupted.says('ok  guard');
    interrupted.child.kill('SIGINT');
    expect((await interrupted.ended).status).toBe(130);
    source.settings.jobPolls = 0;
    expect(interrupted.stderr).toContain('Stopped watching; the run continues.');
    const [, runId] = /^run +(sync-\S+)$/m.exec(interrupted.stderr) ?? [];
    expect((await run('run', 'cancel', runId!, '--reason', 'enough')).status).toBe(0);
    expect((await run('run', 'watch', runId!)).status).toBe(5);
  });

  it.each([
    [
      ['--from', 'staging', '--group', manyGroupId, '--to', 'locked', '--into', emptyGroupId],
      12,
      'CREDENTIALS_REFUSED',
    ],
    [
      ['--from', 'staging', '--group', 'nothing', '--to', 'production', '--into', emptyGroupId],
      10,
      'GROUP_NOT_FOUND',
    ],
    [['--from', 'app', '--group', 'g', '--to', 'production', '--into', emptyGroupId], 12, 'NO_USER'],
    [['free', '--items', 'nothing'], 10, 'ITEM_NOT_IN_GROUP'],
  ])('%j ends with status %d and says %s', async (args, status, code) => {
    const ended = await run('sync', ...args);
    expect(ended.status).toBe(status);
    expect(ended.stdout + ended.stderr).toContain(code);
    expect(ended.stdout === '' || ended.stdout.includes('Target: unchanged.')).toBe(true);
  });

  it('is refused at once where no worker takes its work', async () => {
    const config = path.join(folder, 'idle.yaml');
    writeFileSync(
      config,
      `temporal: { address: "${temporalAddress()}", taskQueue: nobody }
portals: { a: { url: "http://127.0.0.1:1/portal/sharing/rest", auth: { type: token, token: { env: X } } }, b: { url: "http://127.0.0.1:2/portal/sharing/rest", auth: { type: token, token: { env: X } } } }
`,
    );
    const ends = ['--from', 'a', '--group', 'g', '--to', 'b', '--into', 'h'];
    const ended = await run('sync', ...ends, '--config', config);
    expect(ended).toMatchObject({
      status: 11,
      stdout: '',
      stderr: `error NO_WORKER  No worker accepts work from task queue "nobody" in namespace "default".\n  Start the worker service. If everything is on one machine: portolan up --config ${config}; otherwise: portolan worker --config ${config}\n`,
    });
  });
});

describe('a run', () => {
  it('is named by an end of its id that no other run has', async () => {
    const missing = await run('run', 'show', 'nothing-like-it');
    expect(missing).toMatchObject({ status: 10, stdout: '' });
    expect(missing.stderr).toBe(
      'error RUN_NOT_FOUND  No run "nothing-like-it".\n  List all runs: portolan run list\n',
    );
    const rows = JSON.parse((await run('run', 'list', '-o', 'json')).stdout) as { runId: string }[];
    const ends = rows.map(({ runId }) => runId.at(-1));
    const shared = ends.find((end, index) => ends.indexOf(end) !== index);
    if (shared === undefined) return;
    const ambiguous = await run('run', 'show', shared);
    expect(ambiguous.status).toBe(2);
    expect(ambiguous.stderr).toMatch(/error USAGE {2}".*" matches \d+ runs:\n {2}[a-z-]+-/);
  });

  it('that Temporal ended leaves packages, which clean finds and removes only when told to', async () => {
    const waiting = recordOf(await run('sync', 'asks', '-o', 'json'));
    const open = await run('clean', '-o', 'json', 'production');
    expect(JSON.parse(open.stdout)).toMatchObject([
      { runId: waiting.runId, state: 'in use', removed: false },
    ]);

    const { client, connection } = await connectToTestServer(temporalAddress(), namespace);
    await client.workflow.getHandle(waiting.runId).terminate('test');
    await connection.close();
    const shown = await run('run', 'show', waiting.runId);
    expect(shown.stdout).toMatch(/^FAILED /);
    expect(shown.stdout).toContain('Temporal ended this run (terminated) before it could record its end');

    // The index of Temporal knows a moment later that it is over.
    const found = await until(
      'a package that is left over',
      () => run('clean', 'production'),
      ({ stdout }) => !stdout.includes('in use'),
    );
    expect(found.stdout).toMatch(new RegExp(`${waiting.runId} +left over\\n`));
    expect(found.stderr).toContain('No packages removed. To remove 1: portolan clean production --yes');
    const removed = await run('clean', 'production', '--yes', '-o', 'json');
    expect(JSON.parse(removed.stdout)).toMatchObject([{ state: 'left over', removed: true }]);
    expect((await run('clean', 'production')).stdout).toBe('production  none\n');
    expect((await run('clean', 'staging', '--yes')).status).toBe(0);
  });

  it('leaves nothing that clean would call clean where a portal could not be read', async () => {
    const cleaned = await run('clean');
    expect(cleaned.stdout).toBe(
      'staging     none\nproduction  none\nlocked      not read\napp         not read\n',
    );
    expect(cleaned.stderr).toContain('CREDENTIALS_REFUSED');
    expect(cleaned.status).toBe(1);
  });
});

describe('without a write', () => {
  it('doctor runs every guard of a route', async () => {
    const before = target.requests().length;
    const ended = await run('doctor', 'free', '-o', 'json');
    const guards = JSON.parse(ended.stdout) as { name: string; verdict: string }[];
    expect(ended.status).toBe(0);
    expect(guards.filter(({ verdict }) => verdict === 'refuse')).toEqual([]);
    expect(guards.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'sign-in to staging',
        'version order',
        'store',
        'references',
        'control key',
        'temporal',
        'worker',
      ]),
    );
    const posted = target
      .requests()
      .slice(before)
      .filter(({ method }) => method === 'POST');
    expect(posted.every(({ path: where }) => where.endsWith('generateToken'))).toBe(true);
  });

  it('doctor looks at every portal, and says of each what is wrong', async () => {
    const ended = await run('doctor');
    expect(ended.status).toBe(12);
    expect(ended.stdout).toMatch(/^ok {2}sign-in to production +owner, org_publisher, at http/m);
    expect(ended.stdout).toMatch(/^!! {2}sign-in to locked .*\[CREDENTIALS_REFUSED\]$/m);
    expect(ended.stdout).toMatch(/^!! {2}sign-in to app .*\[CONNECTION_REFUSED\]$/m);
    expect(ended.stdout).toContain('Target: unchanged. Exit status 12.');
  });

  it('doctor says in how many packages a group goes, and warns of a webhook that others can read', async () => {
    const open = path.join(folder, 'open.yaml');
    const hook = 'https://chat.example.com/hooks/T0K3N';
    const written = readFileSync(path.join(folder, 'portolan.yaml'), 'utf8');
    writeFileSync(open, `${written}\nlimits: { packageBytes: 128 }\nnotify: [ { webhook: "${hook}" } ]\n`, {
      mode: 0o644,
    });
    const { stdout } = await run('doctor', 'free', '--config', open);
    expect(stdout).toMatch(/^ \? {2}configuration .* can read it \(mode 0644\)$/m);
    expect(stdout).not.toContain('T0K3N');
    expect(stdout).toMatch(/^ok {2}package size +about 192 bytes in 2 packages$/m);
  });
});

describe('what a sync would do', () => {
  it('is told by a diff and by a plan, which change nothing and end with 20 until a sync has done it', async () => {
    const compared = await run('diff', 'free', '-o', 'json');
    expect(compared.status).toBe(20);
    expect(JSON.parse(compared.stdout)).toMatchObject({ counts: { create: items, keep: 0, extra: 0 } });

    const planned = await run('sync', 'free', '--plan-only', '--exit-code');
    expect(planned.status).toBe(20);
    expect(planned.stderr).toContain(
      'The plan needs a temporary package on each portal. Both are removed afterwards.',
    );
    expect(planned.stdout).toMatch(/^PLAN [\w-]+ for production "Empty"\ncreate {2}3 {2}new on production\n/);
    expect(planned.stdout).toContain('Target: unchanged. Exit status 20.');

    // For people it ends with what became of each item, of the target, and the next command.
    const done = await run('sync', 'free');
    expect(done.status).toBe(0);
    expect(done.stdout).toMatch(
      /\nSUCCEEDED in [\d.]+s\. 3 imported\. Target: changed\. Exit status 0\.\n\ndetails {2}portolan run show [a-z0-9]{4}\n$/,
    );

    expect((await run('sync', 'free', '--plan-only', '--exit-code')).status).toBe(0);
    const [arrived] = [...target.world.items.values()].filter(({ groups }) => groups.includes(emptyGroupId));
    if (!arrived) throw new Error('nothing arrived');
    const after = await run('diff', 'free');
    expect(after.status).toBe(0);
    expect(after.stderr).toContain(
      '3 same.  Target: unchanged.  Exit status 0.\nnext     portolan sync free\n',
    );

    // What the route keeps is no change, and what overwriting would do is said.
    source.world.items.change(arrived.id, { modified: Date.now() });
    const kept = await run('diff', 'free');
    expect([kept.status, kept.stderr]).toEqual([
      0,
      expect.stringContaining(
        '2 same, 1 kept.  Target: unchanged.  Exit status 0.\nkept     1 differ; with overwrite: true a sync would overwrite 1\nnext     portolan sync free\n',
      ),
    ]);
  });
});
