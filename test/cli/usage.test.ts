import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { calledBy, setCalledAs, setTypedConfig } from '../../src/cli/terminal/command-name';
import { Portolan } from '../support/child';
import { freeServerPort } from '../support/free-port';
import { expectEnd } from '../support/in-process';
import { typedIn } from '../support/typed-in';
import { aFolder } from '../support/folder';

const folder = aFolder();
const { run, expectRun } = typedIn(() => folder);

beforeAll(async () => {
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

describe('the command line', () => {
  it('explains itself on stdout', async () => {
    const { status, stdout, stderr } = await run('--help');
    expect([status, stderr]).toEqual([0, '']);
    for (const command of ['demo', 'up', 'doctor', 'sync', 'run', 'snapshot'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(stdout).toContain('11 Temporal, worker or server unavailable');
    expect(await run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n' });
  });

  it('ends quietly when the reader of its output has gone', () => {
    const line = 'node "$0" --version | true; echo "${PIPESTATUS[0]}"';
    const { stdout, stderr } = spawnSync('bash', ['-c', line, path.resolve('dist/cli/main.js')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['141\n', '']);
  });

  it('names commands in hints and help as it was called itself', async () => {
    setCalledAs(calledBy({ npm_command: 'exec' }));
    const file = path.join(folder, 'portolan.yaml');
    const { stdout } = await run('status --help');
    const { stderr } = await run(`run show latest --config ${file}`);
    setCalledAs(calledBy({}));
    setTypedConfig(undefined);
    expect(stderr).toContain(`If it is on this machine: npx portolan up --config ${file}\n`);
    expect(stdout).toMatch(/^Usage: npx portolan status /);
    expect(stdout).toMatch(/^ {2}npx portolan status -o json$/m);
  });

  it.each([
    ['nonesuch', "error USAGE  unknown command 'nonesuch'\n  See: portolan --help\n"],
    [
      'freeze staging --reason ""',
      "error USAGE  option '--reason <text>' argument '' is invalid. Write a reason of 1 to 2,000 characters.\n  See: portolan freeze --help\n",
    ],
    ['sync', 'error USAGE  Name a route.\n  See: portolan sync --help\n'],
    [
      'sync transport --from staging',
      'error USAGE  Name a route, or --from, --group, --to and --into; not both.\n  See: portolan sync --help\n',
    ],
    [
      'sync transport --exit-code',
      'error USAGE  --exit-code needs --plan-only.\n  See: portolan sync --help\n',
    ],
    [
      'sync transport --timeout 5',
      "error USAGE  option '--timeout <duration>' argument '5' is invalid. Write a duration with a unit, such as 90s or 2h.\n  See: portolan sync --help\n",
    ],
    [
      'sync transport --items @missing',
      "error USAGE  option '--items <ids>' argument '@missing' is invalid. missing cannot be read (ENOENT).\n  See: portolan sync --help\n",
    ],
    [
      'run approve latest',
      "error USAGE  required option '--plan <hash>' not specified\n  See: portolan run approve --help\n",
    ],
    [
      'run resume latest --set overwrite=1 --set folder=x',
      'error USAGE  --set has 2 problems:\n  overwrite: write true or false\n  folder: unknown setting\n  Allowed keys: target.folder, target.folderOwner, overwrite, data, jobDeadline, limits.freeDiskBytes.\n',
    ],
    [
      'queue release production k7q2 --reason stuck',
      'error USAGE  "production" is not a portal queue. Write PORTAL/export or PORTAL/import.\n  List portal queues with: portolan queue list\n',
    ],
  ])('refuses %s with status 2 and the reason', async (line, stderr) => {
    expect(await run(line)).toMatchObject({ status: 2, stdout: '', stderr });
  });

  it.each([
    ['sync nothing', 10, 'ROUTE_NOT_FOUND'],
    ['sync --from staging --group g --to staging --into h', 2, 'SAME_PORTAL'],
    ['clean x', 10, 'PORTAL_NOT_FOUND'],
    ['diff transport', 2, 'SECRET_UNREADABLE'],
    ['worker --config none.yaml', 2, 'CONFIG_INVALID'],
  ])('ends %s with status %d (%s)', async (line, status, code) => {
    const ended = await run(line);
    expect(ended).toMatchObject({ status, stdout: '' });
    expect(ended.stderr).toContain(`error ${code}  `);
  });

  it.each(['sync transport', 'run show latest', 'worker'])(
    'reports that Temporal is unreachable, and how to start it: %s',
    async (line) => {
      const ended = await run(line);
      expect(ended).toMatchObject({ status: 11, stdout: '' });
      expect(ended.stderr).toMatch(
        /^error TEMPORAL_UNREACHABLE {2}Cannot reach Temporal at 127.*\n {2}Check that Temporal runs at temporal\.address\. If it is on this machine: portolan up\n$/,
      );
    },
  );

  it('names the folder that cannot hold the state of a Temporal server', async () => {
    const file = path.join(folder, 'no-folder.yaml');
    const state = path.join(folder, 'portolan.yaml', 'state');
    writeFileSync(file, `temporal: { address: "127.0.0.1:1", state: ${state} }\nportals: {}\n`);
    const ended = await run(`up --detach --config ${file}`);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toContain(
      `error CONFIG_INVALID  temporal.state: ${state} cannot be used (ENOTDIR).\n`,
    );
  });

  it('lists records of the store while Temporal is unreachable, with a note', async () => {
    expect(await run('run list')).toMatchObject({
      status: 0,
      stdout: 'No runs yet. Start one with: portolan sync ROUTE\n',
      stderr: 'note  cannot reach Temporal; showing the records in the store\n',
    });
  });

  it('prints an error as one object with -o json', async () => {
    const { stdout } = await expectRun('sync nothing -o json', 10);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        kind: 'permanent',
        code: 'ROUTE_NOT_FOUND',
        message: `${path.join(folder, 'portolan.yaml')} has no route "nothing"; defined: transport.`,
        hint: 'Use a route from portolan.yaml.',
      },
    });
    expect(JSON.parse((await run('sync --bogus --output json')).stdout)).toMatchObject({
      error: { code: 'USAGE' },
    });
  });

  it('simulates a portal until Ctrl-C; the first line is its address', async () => {
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
    await expectEnd(simulated.ended, 0);
  });

  it.each([
    ['--version abc', '"abc" is no version such as 11.2 or 10.8.1.'],
    ['--seed none.json', 'none.json cannot be used (ENOENT).'],
    ['--faults none.json', 'none.json cannot be used (ENOENT).'],
    ['--port 70000', '70000 is not a port; write a number from 0 to 65535.'],
  ])('refuses to simulate a portal with bad options: %s', async (options, problem) => {
    const umask = process.umask();
    const ended = await run(`simulate --state ${path.join(folder, 'refused')} ${options}`);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(process.umask()).toBe(umask);
    expect(ended.stderr).toMatch(/^error USAGE {2}.*\n {2}See: portolan simulate --help\n$/);
    expect(ended.stderr).toMatch(problem);
  });
});
