import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { type Ended, Portolan, portolan } from '../support/child';
import { freeServerPort } from '../support/free-port';
import { inProcess } from '../support/in-process';

let folder: string;
const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: folder });

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'portolan-usage-'));
  const port = await freeServerPort();
  writeFileSync(
    path.join(folder, 'portolan.yaml'),
    `temporal: { address: "127.0.0.1:${port}" }
portals:
  staging: { url: "http://127.0.0.1:1/portal/sharing/rest", auth: { type: password, username: u, password: { env: UNSET_SECRET } } }
  production: { url: "http://127.0.0.1:2/portal/sharing/rest", auth: { type: token, token: { env: UNSET_SECRET } } }
routes:
  transport: { source: { portal: staging, group: g }, target: { portal: production, group: h } }
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the command line', () => {
  it('explains itself on stdout', async () => {
    const { status, stdout, stderr } = await portolan(['--help'], { cwd: folder });
    expect([status, stderr]).toEqual([0, '']);
    for (const command of [
      'demo',
      'up',
      'worker',
      'simulate',
      'doctor',
      'diff',
      'sync',
      'run',
      'queue',
      'snapshot',
      'clean',
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect(stdout).toContain('11 Temporal, worker or server unavailable');
  });

  it('ends quietly when the reader of its output has gone', async () => {
    const line = 'node "$0" --help | true; echo "${PIPESTATUS[0]}"';
    const { stdout, stderr } = spawnSync('bash', ['-c', line, path.resolve('dist/cli/main.js')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['141\n', '']);
  });

  it('names commands as it was called itself, in hints and in its help', async () => {
    const env = { npm_command: 'exec' };
    // Where the configuration was named, they go to the same.
    const named = await portolan(['run', 'show', 'latest', '--config', 'portolan.yaml'], {
      cwd: folder,
      env,
    });
    expect(named.stderr).toContain('If it is on this machine: npx portolan up --config portolan.yaml\n');
    const { stdout } = await portolan(['status', '--help'], { cwd: folder, env });
    expect(stdout).toMatch(/^Usage: npx portolan status /);
    expect(stdout).toMatch(/^ {2}npx portolan status -o json$/m);
  });

  it('tells its version', async () => {
    expect(await run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n' });
  });

  it.each([
    [['nonesuch'], "error USAGE  unknown command 'nonesuch'\n  See: portolan --help\n"],
    [['run', 'nonesuch'], "error USAGE  unknown command 'nonesuch'\n  See: portolan run --help\n"],
    [
      ['freeze', 'staging', '--reason', ''],
      "error USAGE  option '--reason <text>' argument '' is invalid. Write a reason of 1 to 2,000 characters.\n  See: portolan freeze --help\n",
    ],
    [['sync'], 'error USAGE  Name a route.\n  See: portolan sync --help\n'],
    [
      ['sync', 'transport', '--from', 'staging'],
      'error USAGE  Name a route, or --from, --group, --to and --into; not both.\n  See: portolan sync --help\n',
    ],
    [
      ['sync', '--from', 'staging', '--group', 'g'],
      'error USAGE  --from, --group, --to and --into must be given together.\n  See: portolan sync --help\n',
    ],
    [
      ['sync', 'transport', '--exit-code'],
      'error USAGE  --exit-code needs --plan-only.\n  See: portolan sync --help\n',
    ],
    [
      ['sync', 'transport', '--timeout', '5'],
      "error USAGE  option '--timeout <duration>' argument '5' is invalid. Write a duration with a unit, such as 90s or 2h.\n  See: portolan sync --help\n",
    ],
    [
      ['sync', 'transport', '--items', '@missing'],
      "error USAGE  option '--items <ids>' argument '@missing' is invalid. missing cannot be read (ENOENT).\n  See: portolan sync --help\n",
    ],
    [
      ['run', 'approve', 'latest'],
      "error USAGE  required option '--plan <hash>' not specified\n  See: portolan run approve --help\n",
    ],
    [
      ['run', 'resume', 'latest', '--set', 'overwrite=1', '--set', 'folder=x'],
      'error USAGE  --set has 2 problems:\n  overwrite: write true or false\n  folder: unknown setting\n  Allowed keys: target.folder, target.folderOwner, overwrite, data, jobDeadline, limits.freeDiskBytes.\n',
    ],
    [
      ['run', 'list', '--parked', '--status', 'failed'],
      "error USAGE  option '--parked' cannot be used with option '--status <status>'\n  See: portolan run list --help\n",
    ],
    [
      ['queue', 'release', 'production/import', 'k7q2'],
      "error USAGE  required option '--reason <text>' not specified\n  See: portolan queue release --help\n",
    ],
    [
      ['queue', 'release', 'production', 'k7q2', '--reason', 'stuck'],
      'error USAGE  "production" is not a portal queue. Write PORTAL/export or PORTAL/import.\n  List portal queues with: portolan queue list\n',
    ],
    [
      ['sync', 'transport', '--scheduled-by', 'every night'],
      "error USAGE  option '--scheduled-by <name>' argument 'every night' is invalid. A name has up to 63 letters, digits, hyphens, dots and underscores.\n  See: portolan sync --help\n",
    ],
  ])('refuses %j with status 2 and says why', async (args, stderr) => {
    expect(await run(...args)).toMatchObject({ status: 2, stdout: '', stderr });
  });

  it.each([
    [['sync', 'nothing'], 10, 'ROUTE_NOT_FOUND'],
    [['sync', '--from', 'x', '--group', 'g', '--to', 'staging', '--into', 'h'], 10, 'PORTAL_NOT_FOUND'],
    [['sync', '--from', 'staging', '--group', 'g', '--to', 'staging', '--into', 'h'], 2, 'SAME_PORTAL'],
    [['clean', 'x'], 10, 'PORTAL_NOT_FOUND'],
    [['queue', 'release', 'x/import', 'k7q2', '--reason', 'stuck'], 10, 'PORTAL_NOT_FOUND'],
    [['diff', 'transport'], 2, 'SECRET_UNREADABLE'],
    [['worker', '--config', 'none.yaml'], 2, 'CONFIG_INVALID'],
  ])('ends %j with status %d (%s)', async (args, status, code) => {
    const ended = await run(...args);
    expect(ended).toMatchObject({ status, stdout: '' });
    expect(ended.stderr).toContain(`error ${code}  `);
  });

  it.each([
    [['sync', 'transport']],
    [['run', 'cancel', 'latest']],
    [['run', 'resume', 'latest']],
    [['queue', 'list']],
    [['queue', 'release', 'staging/import', 'k7q2', '--reason', 'stuck']],
    [['run', 'show', 'latest']],
    [['worker']],
  ])('says soon that there is no Temporal, and how to start it: %j', async (args) => {
    const ended = await run(...args);
    expect(ended).toMatchObject({ status: 11, stdout: '' });
    expect(ended.stderr).toMatch(
      /^error TEMPORAL_UNREACHABLE {2}Cannot reach Temporal at 127.*\n {2}Check that Temporal runs at temporal\.address\. If it is on this machine: portolan up\n$/,
    );
  });

  it('says which folder cannot be used where the state of a server is to be kept', async () => {
    const file = path.join(folder, 'no-folder.yaml');
    const state = path.join(folder, 'portolan.yaml', 'state');
    writeFileSync(file, `temporal: { address: "127.0.0.1:1", state: ${state} }\nportals: {}\n`);
    const ended = await run('up', '--detach', '--config', file);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toContain(
      `error CONFIG_INVALID  temporal.state: ${state} cannot be used (ENOTDIR).\n`,
    );
  });

  it('lists the records of the store where there is no Temporal, and says so', async () => {
    expect(await run('run', 'list')).toMatchObject({
      status: 0,
      stdout: 'No runs yet. Start one with: portolan sync ROUTE\n',
      stderr: 'note  cannot reach Temporal; showing the records in the store\n',
    });
  });

  it('gives programs an error as one object on stdout', async () => {
    const { status, stdout } = await run('sync', 'nothing', '-o', 'json');
    expect(status).toBe(10);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        kind: 'permanent',
        code: 'ROUTE_NOT_FOUND',
        message: `${path.join(folder, 'portolan.yaml')} has no route "nothing"; defined: transport.`,
        hint: 'Use a route from portolan.yaml.',
      },
    });
    expect(JSON.parse((await run('sync', '--bogus', '--output', 'json')).stdout)).toMatchObject({
      error: { code: 'USAGE' },
    });
  });

  it('simulates a portal whose address is the first line, until it is asked to end', async () => {
    const simulated = new Portolan(
      ['simulate', '--version', '11.2', '--name', 'stage', '--state', './state', '--seed', 'transport'],
      { cwd: folder },
    );
    await simulated.says('Ctrl-C stops it');
    expect(simulated.stdout).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+\/portal\/sharing\/rest\n/);
    expect(simulated.stderr).toContain('owner   owner-pw   org_publisher, owns "Transport"\n');
    expect(simulated.stderr).toMatch(/^9f2c4b7d\w+ {2}"Transport" {2}13 items, owned by owner\n/m);
    const [, yaml = ''] = /for portolan.yaml\n([^]*)to type/.exec(simulated.stderr) ?? [];
    const { portals, routes } = parse(yaml) as { portals: object; routes: object };
    const url = simulated.stdout.slice('ready '.length).trim();
    expect(portals).toMatchObject({ stage: { url, auth: { username: 'admin' } } });
    expect(routes).toEqual({
      transport: {
        source: { portal: 'stage', group: transportGroupId },
        target: { portal: 'production', group: transportTargetGroupId },
      },
    });
    simulated.child.kill('SIGINT');
    expect(await simulated.ended).toMatchObject({ status: 0 });
  });

  it.each([
    [['--version', 'abc'], '"abc" is no version such as 11.2 or 10.8.1.'],
    [['--seed', 'none.json'], 'none.json cannot be used (ENOENT).'],
    [['--seed', 'nowhere'], /There is no seed "nowhere"; built in are: transport, .*\./],
    [['--faults', 'none.json'], 'none.json cannot be used (ENOENT).'],
    [['--port', '70000'], '70000 is not a port; write a number from 0 to 65535.'],
  ])('says what is wrong with a portal that is to be simulated: %j', async (args, problem) => {
    const umask = process.umask();
    const ended = await run('simulate', '--state', path.join(folder, 'refused'), ...args);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(process.umask()).toBe(umask);
    expect(ended.stderr).toMatch(/^error USAGE {2}.*\n {2}See: portolan simulate --help\n$/);
    expect(ended.stderr).toMatch(problem);
  });
});
