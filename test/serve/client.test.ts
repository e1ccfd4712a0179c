import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pino from 'pino';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load-config';
import { portolanOver } from '../../src/client/remote';
import { ServerLine } from '../../src/client/server-connection';
import { PortolanError } from '../../src/model/errors/errors';
import type { RunRecord } from '../../src/model/run/run';
import { plan as planSchema } from '../../src/model/transfer/plan';
import { hashOfKey } from '../../src/serve/access';
import { type RunningServer, startServer } from '../../src/serve/server';
import { LocalStore } from '../../src/store/local/local-store';
import { freePorts } from '../../src/temporal/dev-server/address';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { type Ended, Portolan } from '../support/child';
import { inProcess } from '../support/in-process';
import type { Rehearsal } from '../support/rehearsal';
import { isLong } from '../support/long';
import { openServedSite, type ServedSite } from '../support/served-site';
import { until } from '../support/until';
import { recordOf } from '../support/json';
import { runRecordOf } from '../cli/run/records';

const all = 'planted-key-of-whoever-may-all';
const viewer = 'planted-key-of-a-viewer';
const rights = ['view', 'start', 'operate', 'approve'];

let site: ServedSite;
let rehearsal: Rehearsal;
let server: RunningServer;
/** A folder whose portolan.yaml names the server, and nothing else. */
let away: string;
const before = { ...process.env };

/** A folder of a machine that has nothing but the name of a server. */
function folderFor(name: string, file: object): string {
  const folder = path.join(rehearsal.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'portolan.yaml'), stringify(file));
  return folder;
}

async function through(key: string | undefined, args: readonly string[], cwd = away): Promise<Ended> {
  process.env['PORTOLAN_KEY'] = key ?? '';
  const ended = await inProcess(args, { cwd });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain('planted-key');
  return ended;
}
const remote = (...args: string[]): Promise<Ended> => through(all, args);
const local = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal.folder });

/** How long a run is open, and how old a snapshot is, is another a moment later. */
const ageless = (text: string): string =>
  text.replace(/\b\d+\.\ds\b/g, 'N s').replace(/"ageMs":\s*\d+/g, '"ageMs": 0');

/**
 * Where the configuration lies is told on its own machine alone; the server is told by its address, and with it where the
 * page is, which its configuration does not name. A link to Temporal's Web UI on one machine reaches no other.
 */
const placeless = (text: string): string =>
  text
    .replace(/^(web {6}|ui {7}).*\n/gm, '')
    .replaceAll(path.join(rehearsal.folder, 'portolan.yaml'), 'portolan.yaml')
    .replaceAll(`${server.url}: `, 'portolan.yaml: ');

/** What is the same however an answer came: of JSON the values, of all else each letter but that. */
const shown = ({ status, stdout, stderr }: Ended, isJson: boolean): object => ({
  status,
  stderr: placeless(stderr),
  stdout: isJson
    ? stdout === ''
      ? ''
      : (JSON.parse(placeless(ageless(stdout))) as unknown)
    : placeless(ageless(stdout)).trimEnd(),
});

let compared = 0;
/** `npm test` compares every other command as JSON, and the rest as people read them. */
async function isTheSame(...args: string[]): Promise<void> {
  const forms = ['table', 'json'];
  for (const form of isLong ? forms : forms.slice(compared++ % 2).slice(0, 1)) {
    const words = [...args, '-o', form];
    const look = async () => {
      const [here, there] = [await local(...words), await remote(...words)];
      return [shown(here, form === 'json'), shown(there, form === 'json')] as const;
    };
    let [here, there] = await look();
    // The index of Temporal may have told more in between.
    for (let again = 0; again < 3 && !isDeepStrictEqual(here, there); again += 1)
      [here, there] = await look();
    expect([args, there]).toEqual([args, here]);
  }
}

const reached = (runId: string, status: RunRecord['status']): Promise<RunRecord> =>
  until(
    `${runId} to be ${status}`,
    async () => recordOf(await local('run', 'show', runId, '-o', 'json')),
    (record) => record.status === status,
  );

beforeAll(async () => {
  site = await openServedSite({
    serve: {
      keys: { all: { sha256: hashOfKey(all), rights }, viewer: { sha256: hashOfKey(viewer) } },
      signIn: {
        portal: 'north',
        appId: 'portolan-app',
        people: [{ users: ['owner'], rights: ['start', 'approve'] }],
      },
    },
    config: { notify: [{ name: 'ops', command: ['true'], on: ['partial'] }] },
  });
  ({ rehearsal, server } = site);
  rehearsal.source.settings.apps = { 'portolan-app': [`${server.url}/sign-in/callback`] };
  away = folderFor('away', { server: server.url });
  process.env['XDG_CONFIG_HOME'] = path.join(rehearsal.folder, 'home');
  await local('schedule', 'apply', '--yes');
});
afterAll(async () => {
  process.env = before;
  await site?.close();
});

describe('a command that asks a server', () => {
  it('knows where the page is, and prints its address where no terminal is to open it from', async () => {
    const begun = recordOf(await remote('sync', 'free', '--plan-only', '-o', 'json')).runId;
    expect(await remote('open')).toMatchObject({ status: 0, stdout: `${server.url}/\n` });
    const page = `${server.url}/runs/${begun}`;
    expect(await remote('open', 'latest')).toMatchObject({ status: 0, stdout: `${page}\n` });
    expect((await remote('run', 'show', begun)).stdout).toContain(`web      ${page}\n`);
    expect(await remote('open', 'nothing-like-it')).toMatchObject({ status: 10, stdout: '' });
    expect(await local('open')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^error USAGE {2}The address of the web UI is unknown here\.\n.*portolan up/,
      ),
    });
  });

  it('prints what it prints on the machine of the server, and ends with the same status', async () => {
    const begun = await remote('sync', 'free', '-o', 'json');
    expect([begun.status, begun.stderr]).toEqual([0, expect.stringMatching(`server +${server.url}`)]);
    const { runId, status, startedBy } = recordOf(begun);
    expect([status, startedBy]).toEqual(['succeeded', 'all']);
    expect((await remote('release', 'create', 'transport')).status).toBe(0);
    const release = await remote('release', 'show', 'latest', '-o', 'json');
    const { groups } = JSON.parse(release.stdout) as { groups: { snapshotId: string }[] };
    const ofRelease = groups[0]?.snapshotId ?? '';
    rehearsal.editSource();
    const waits = recordOf(await remote('sync', 'asks', '--no-wait', '-o', 'json')).runId;
    await reached(waits, 'waiting');
    for (const words of [
      'run list',
      'run list --limit 1 --route free',
      'run list --status waiting',
      `run show ${runId}`,
      `run show ${waits.slice(-4)}`,
      `run show ${waits} --plan`,
      `run logs ${runId}`,
      `run logs ${runId} --problems`,
      `run watch ${runId}`,
      `run restart ${runId} --from export`,
      `run retry ${runId}`,
      'schedule list',
      'schedule show nightly',
      'queue list',
      'status',
      'release list',
      'promote status',
      'promote status transport --no-drift',
      'release show latest',
      'release show latest:transport',
      'release diff latest latest',
      'release forget latest',
      'promote history transport',
      'promote history transport live',
      'promote diff transport live --release latest',
      'snapshot list',
      'snapshot list --route free --safeguards',
      `snapshot show ${ofRelease.slice(-4)}`,
      `snapshot diff ${ofRelease} ${ofRelease} --exit-code 7`,
      `snapshot forget ${ofRelease}`,
      `snapshot verify ${ofRelease} latest:free`,
      'snapshot verify --all',
      'snapshot forget --route transport.roads --keep-last 1 --dry-run',
      'diff free',
      'doctor',
      'doctor free',
      'doctor transport',
      'freezes',
      'hook list',
      'settings export north',
      'category-schema export north',
      'hook test ops',
      'schedule apply --dry-run --exit-code',
      // What goes wrong is the same as well.
      'diff nothing',
      'doctor nothing',
      'freeze nothing --reason x',
      'freeze transport/dev --reason x',
      'unfreeze transport/nothing',
      'freezes nothing',
      'hook test nothing',
      'settings export nothing',
      'settings apply north --saved nothing-like-it --yes',
      'category-schema delete nothing',
      'release show nothing-like-it',
      'promote history transport nothing',
      'promote diff transport live',
      'snapshot show nothing-like-it',
      'snapshot diff latest:nothing live',
      'snapshot verify',
      'snapshot verify nothing-like-it',
      'snapshot forget',
      'snapshot forget nothing-like-it --yes',
      'snapshot forget --route free',
      'run show nothing-like-it',
      `run show ${runId.slice(0, -4)}x`,
      `run approve ${runId} --plan 0000-0000-0000`,
      `run resume ${waits}`,
      `run resume ${waits} --set nothing=1`,
      `run rollback ${waits} --yes`,
      'sync nothing',
      'sync free --from north',
      'backup create nothing',
      'restore nothing --to south --into 1234',
      'promote nothing --to live',
      'promote rollback transport live --yes',
      'schedule show nothing',
      'schedule pause nothing --reason x',
      `queue release south/import ${runId} --reason x`,
      `queue release south ${runId} --reason x`,
      'queue release nothing/import x --reason x',
    ])
      await isTheSame(...words.split(' '));
    const resumed = await remote('run', 'resume', waits);
    expect(resumed.stderr).toMatch(/^Running preflight checks on both portals\./m);
    const plan = await remote('run', 'show', waits, '--plan', '-o', 'json');
    expect(planSchema.strict().parse(JSON.parse(plan.stdout)).rows).not.toEqual([]);
  });

  it('begins, answers and ends runs, which say by whom', async () => {
    rehearsal.editSource();
    const asked = ['sync', 'asks', '--request-id', 'winter: every Straße', '--reason', 'road closures'];
    const waits = await remote(...asked);
    expect([waits.status, waits.stderr]).toEqual([4, expect.stringContaining('waiting for approval')]);
    const again = await local(...asked);
    expect([again.status, ageless(again.stdout)]).toEqual([4, ageless(waits.stdout)]);
    const [, runId = ''] = /^run +(sync-asks-\S+)/m.exec(waits.stderr) ?? [];
    const { plan } = await reached(runId, 'waiting');
    const yes = await remote('run', 'approve', runId, '--plan', plan?.hash ?? '');
    expect([yes.status, yes.stdout]).toEqual([0, expect.stringContaining(`approved: plan ${plan?.hash}`)]);
    const watched = await remote('run', 'watch', runId, '-o', 'json');
    expect(recordOf(watched)).toMatchObject({
      status: 'succeeded',
      startedBy: 'all',
      actions: [
        { what: 'start', who: 'all', identity: 'key', reason: 'road closures' },
        { what: 'approve', who: 'all', identity: 'key' },
      ],
    });
    expect(recordOf(watched)).toEqual(await reached(runId, 'succeeded'));
    const back = await remote('run', 'rollback', runId, '--yes', '-o', 'json');
    expect([back.status, recordOf(back)]).toMatchObject([0, { kind: 'rollback', parent: runId }]);

    rehearsal.editSource();
    const { runId: next } = recordOf(await remote('sync', 'asks', '--full', '--no-wait', '-o', 'json'));
    await reached(next, 'waiting');
    const no = await remote('run', 'reject', next, '--reason', 'not tonight');
    // A busy worker may take it a little later.
    expect([no.status, no.stdout]).toEqual([
      0,
      expect.stringMatching(/rejected: plan|saved, but not yet received/),
    ]);
    expect((await reached(next, 'cancelled')).actions).toContainEqual(
      expect.objectContaining({ what: 'reject', who: 'all', identity: 'key', reason: 'not tonight' }),
    );
    rehearsal.editSource();
    const { runId: third } = recordOf(await remote('sync', 'asks', '--full', '--no-wait', '-o', 'json'));
    await reached(third, 'waiting');
    const end = await remote('run', 'cancel', third);
    expect(end.stdout).toMatch(/^cancelling; it removes its packages first\nwatch/);
    await reached(third, 'cancelled');

    const backup = recordOf(await remote('backup', 'create', 'free', '--full', '-o', 'json'));
    expect(backup).toMatchObject({ kind: 'backup', status: 'succeeded' });
    const into = ['--to', 'south', '--into', emptyGroupId, '--plan-only'];
    const plans = await remote('restore', 'latest', ...into, '--exit-code', '-o', 'json');
    expect([plans.status, recordOf(plans)]).toMatchObject([0, { kind: 'restore' }]);
    const pause = await remote('schedule', 'pause', 'nightly', '--reason', 'an upgrade');
    expect(pause.stdout).toContain('nightly is paused');
    expect((await local('schedule', 'show', 'nightly')).stdout).toContain('paused by all: an upgrade');
    const triggered = await remote('schedule', 'trigger', 'nightly', '-o', 'json');
    await reached(recordOf(triggered).runId, 'nothing-to-do');
    const on = await remote('schedule', 'resume', 'nightly');
    expect(on.stdout).toMatch(/^nightly is resumed, next .*\ndetails/);
  });

  it('shows the snapshots that it verified before the store failed, as on the machine of the server', async () => {
    const openFile = LocalStore.prototype.openFile;
    const failing = jest.spyOn(LocalStore.prototype, 'openFile');
    const verify = async (ask: typeof local, ...more: string[]): Promise<{ stdout?: unknown }> => {
      const read = new Set<string>();
      failing.mockImplementation(async function (this: LocalStore, key) {
        if (key.endsWith('.epk')) read.add(key);
        if (read.size > 1) throw new PortolanError('STORE_UNREACHABLE', 'the store is away');
        return await openFile.call(this, key);
      });
      return shown(await ask('snapshot', 'verify', '--all', ...more), more.length > 0);
    };
    const here = await verify(local);
    const there = await verify(remote);
    const json = (await verify(local, '-o', 'json')).stdout;
    failing.mockRestore();
    expect(here).toEqual({
      status: 1,
      stderr: expect.stringContaining('the store is away'),
      stdout: expect.stringMatching(/^SNAPSHOT .*\n\S+ .* ok$/),
    });
    expect(there).toMatchObject({ status: 1, stdout: here.stdout });
    expect(json).toEqual({
      error: expect.objectContaining({ code: 'STORE_UNREACHABLE' }),
      verified: [expect.objectContaining({ problems: [] })],
    });
  });

  it('keeps and forgets releases and snapshots, which say by whom', async () => {
    const pin = await remote('release', 'pin', 'latest', '--reason', 'the audit', '-o', 'json');
    expect(JSON.parse(pin.stdout)).toMatchObject({ pin: { who: 'all', reason: 'the audit' } });
    const held = await remote('release', 'forget', 'latest', '--yes');
    expect([held.status, held.stderr]).toEqual([1, expect.stringContaining('error RELEASE_PINNED')]);
    expect((await remote('release', 'unpin', 'latest')).stdout).toMatch(/^transport-\S+ is unpinned\n/);
    expect((await local('release', 'unpin', 'latest')).stdout).toContain('was not pinned');
    const gone = await remote('release', 'forget', 'latest', '--yes');
    expect([gone.status, gone.stdout]).toEqual([
      0,
      expect.stringContaining('kept     its snapshots: portolan snapshot list'),
    ]);

    const { snapshot } = recordOf(await remote('backup', 'create', 'free', '--full', '-o', 'json'));
    const id = snapshot?.id ?? '';
    expect((await remote('snapshot', 'pin', id, '--reason', 'x')).stdout).toContain(`${id} is pinned\n`);
    expect((await local('snapshot', 'show', id)).stdout).toMatch(/pinned +\S.*, all, x/);
    const pinned = await remote('snapshot', 'forget', id, '--yes');
    expect([pinned.status, pinned.stderr]).toEqual([1, expect.stringContaining('error SNAPSHOT_PINNED')]);
    expect((await remote('snapshot', 'unpin', id)).stdout).toBe(`${id} is unpinned\n`);
    const live = await remote('snapshot', 'diff', id, 'live', '-o', 'json');
    expect([live.status, JSON.parse(live.stdout)]).toMatchObject([0, { after: { portal: 'north' } }]);
    await remote('backup', 'create', 'free', '--full');
    const forgot = await remote('snapshot', 'forget', id, '--yes', '-o', 'json');
    expect([forgot.status, JSON.parse(forgot.stdout)]).toMatchObject([
      0,
      { decisions: [{ id, keep: false }], dryRun: false, result: { forgotten: [id] } },
    ]);
    expect((await local('snapshot', 'show', id)).status).toBe(10);
  });

  it('has its turn where more is asked than a server answers at a time', async () => {
    const { faults } = rehearsal.source;
    faults.add({ match: { operation: 'group.content' }, do: 'hold' });
    const asked = ['free', 'free', 'free'].map((route) => remote('diff', route));
    await until('as many to be asked as may be', () => faults.holding > 1);
    faults.clear();
    faults.release();
    const ended = await Promise.all(asked);
    expect(ended.map(({ status, stderr }) => `${status} ${stderr}`.slice(0, 1))).toEqual(['0', '0', '0']);
  });

  it('completes the names that the server knows', async () => {
    const completed = async (...words: string[]): Promise<string[]> =>
      (await remote('__complete', ...words)).stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
    const begun = recordOf(await remote('sync', 'free', '--plan-only', '-o', 'json')).runId;
    expect(await completed('sync', 'fre')).toContain('free');
    expect(await completed('run', 'show', '')).toEqual(expect.arrayContaining(['latest', begun]));
    expect(await completed('queue', 'release', 'nor')).toContain('north/export');
    expect(await completed('schedule', 'show', '')).toContain('nightly');
    expect(await completed('promote', 'status', 'tr')).toContain('transport');
  });

  it('freezes and unfreezes portals and stages, and says by whom', async () => {
    const frozen = await remote('freeze', 'transport/live', '--reason', 'an audit', '-o', 'json');
    expect([frozen.status, JSON.parse(frozen.stdout)]).toMatchObject([
      0,
      { portal: 'transport/live', who: 'all', reason: 'an audit', frozen: true },
    ]);
    await isTheSame('freeze', 'transport/live', '--reason', 'x');
    await isTheSame('freezes');
    expect((await local('promote', 'status', 'transport', '--no-drift')).stdout).toContain(
      'by all: an audit',
    );
    expect((await remote('unfreeze', 'transport/live')).stdout).toMatch(
      /^unfrozen transport\/live; it was frozen by all since .*: an audit\n$/,
    );
    await isTheSame('unfreeze', 'transport/live');
    await isTheSame('freezes', 'transport/live');
  });

  it('is told the name of the file that lacks something, and not where it lies [P25]', async () => {
    for (const words of [
      'sync nothing',
      'doctor nothing',
      'freeze nothing --reason x',
      'promote diff nothing x',
    ]) {
      const { stderr } = await remote(...words.split(' '));
      expect([words, stderr]).toEqual([words, expect.stringContaining('portolan.yaml has no ')]);
      expect(stderr).not.toContain(rehearsal.folder);
    }
  });

  it('says in a sentence that a worker’s machine is needed, where it is', async () => {
    for (const words of [
      'worker',
      'snapshot import x --trust x',
      'release export latest --to x --key x',
      'clean',
      'serve',
      'doctor --cluster',
      'up',
    ]) {
      const { status, stderr } = await remote(...words.split(' '));
      expect([words, status, stderr]).toEqual([
        words,
        2,
        expect.stringMatching(
          /^error USAGE {2}This command needs a worker's configuration, but \S+ names a server\.\n/,
        ),
      ]);
    }
  });

  it('follows a run on while its server is away for a moment', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const [port = 0] = await freePorts(1);
    const kept = { ...config, serve: { ...config.serve, address: `127.0.0.1:${port}` } };
    const first = await startServer(kept, pino({ level: 'silent' }));
    const folder = folderFor('moved', { server: first.url });
    rehearsal.editSource();
    const { runId } = recordOf(await remote('sync', 'asks', '--full', '--no-wait', '-o', 'json'));
    const { plan } = await reached(runId, 'waiting');
    process.env['PORTOLAN_KEY'] = all;
    const watching = new Portolan(['run', 'watch', runId], { cwd: folder });
    await watching.says('approve');
    await first.close();
    const second = await startServer(kept, pino({ level: 'silent' }));
    await remote('run', 'approve', runId, '--plan', plan?.hash ?? '');
    const { status, stdout } = await watching.ended;
    await second.close();
    expect([status, stdout]).toEqual([0, expect.stringContaining('SUCCEEDED')]);
  });
});

describe('the server that is asked', () => {
  it('is the one of the file, of PORTOLAN_SERVER, or of the file that was typed, and stands alone in it [P24]', async () => {
    const whoami = async (cwd: string, ...more: string[]): Promise<unknown> => {
      const { stdout, stderr } = await through(all, ['whoami', '-o', 'json', ...more], cwd);
      return stderr || (JSON.parse(stdout) as unknown);
    };
    expect(await whoami(away)).toEqual({ who: 'all', identity: 'key', rights });
    expect(await whoami(rehearsal.folder)).toMatchObject({ identity: 'claimed' });
    process.env['PORTOLAN_SERVER'] = server.url;
    try {
      expect(await whoami(rehearsal.folder)).toMatchObject({ who: 'all' });
      expect(await whoami(path.join(rehearsal.folder, 'no-such-folder'))).toMatchObject({ who: 'all' });
      const typed = path.join(rehearsal.folder, 'portolan.yaml');
      expect(await whoami(away, '--config', typed)).toMatchObject({ identity: 'claimed' });
      process.env['PORTOLAN_SERVER'] = 'http://portolan.example.com';
      expect(await whoami(away)).toContain('PORTOLAN_SERVER would receive the key unencrypted; use https');
    } finally {
      delete process.env['PORTOLAN_SERVER'];
    }
    const both = folderFor('both', { server: server.url, store: { type: 'local', path: './store' } });
    expect(await whoami(both)).toContain('store: unknown setting');
    const wide = folderFor('wide', { server: 'http://portolan.example.com' });
    expect(await whoami(wide)).toContain('would receive the key unencrypted');
    // What is said so is asked, and that name is nobody's.
    const open = folderFor('open', { server: 'http://portolan.invalid', insecure: true });
    expect(await whoami(open)).toContain('error SERVER_UNREACHABLE');
    const secret = folderFor('planted', { server: 'https://anna:planted@portolan.example.com' });
    expect(await whoami(secret)).toMatch(/must not hold a user name or password(?!.*planted)/);
  });

  it('refuses a wrong key, and what a key may not do, by a code and a status', async () => {
    const wrong = await through('planted-key-of-nobody', ['status']);
    expect([wrong.status, wrong.stderr]).toEqual([
      12,
      expect.stringMatching(
        /^error KEY_REFUSED {2}http.*The key is not valid for this server\.\n {2}Set PORTOLAN_KEY to a key of that server, or sign in: portolan login http/,
      ),
    ]);
    expect((await through(undefined, ['status'])).stderr).toContain('No key was sent.');
    expect((await through('two words', ['status'])).stderr).toContain('PORTOLAN_KEY holds no key');
    const missing = await through(viewer, ['sync', 'free']);
    expect([missing.status, missing.stderr]).toEqual([
      12,
      expect.stringContaining('error RIGHT_MISSING  viewer has only these rights: view. This needs start.'),
    ]);
    const reads = await through(viewer, ['snapshot', 'verify', '--all']);
    expect(reads.stderr).toContain(
      'error RIGHT_MISSING  viewer has only these rights: view. This needs operate.',
    );
    process.env['PORTOLAN_KEY_FILE'] = path.join(rehearsal.folder, 'key');
    expect((await through(undefined, ['status'])).stderr).toContain('cannot be read (ENOENT)');
    writeFileSync(process.env['PORTOLAN_KEY_FILE'], `${viewer}\n`);
    expect((await through(undefined, ['whoami'])).stdout).toContain('viewer');
    delete process.env['PORTOLAN_KEY_FILE'];
    expect(site.log()).not.toContain('planted-key');
  });

  it('that is away, sends elsewhere, or answers anything is told as that, and is given the key alone [P24]', async () => {
    let heard = '';
    const answering = async (listener: RequestListener): Promise<[Server, string]> => {
      const other = createServer(listener);
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      return [other, folderFor(`port-${port}`, { server: `http://127.0.0.1:${port}` })];
    };
    const [elsewhere, elsewhereFolder] = await answering((request, response) => {
      heard += `${request.url} ${JSON.stringify(request.headers)}`;
      response.end('{}');
    });
    const { port } = elsewhere.address() as AddressInfo;
    const json = { 'content-type': 'application/json' };
    const cases: readonly (readonly [RequestListener, number, string])[] = [
      [
        (_, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/taken` }).end(),
        1,
        `error SERVER_ANSWER  http://127.0.0.1:PORT redirects (to http://127.0.0.1:${port}); a key is never sent to a redirect.`,
      ],
      [
        (_, response) => response.writeHead(200, json).end('<html>'),
        1,
        'its response to /api/v1/runs is not JSON',
      ],
      [
        (_, response) => response.writeHead(200, json).end('{"runs":[{"runId":7}]}'),
        1,
        'has a different version of Portolan, at runs.0.runId',
      ],
      [
        (_, response) => {
          response.writeHead(200, json);
          const more = (): void => {
            while (response.write('x'.repeat(1024 * 1024)));
          };
          response.on('drain', more).on('error', () => undefined);
          more();
        },
        1,
        'is larger than 32 MB',
      ],
      [(_, response) => response.writeHead(500).end('{}'), 1, 'is HTTP 500 without a reason'],
      [(_, response) => response.writeHead(502).end('x'), 11, 'error SERVER_UNREACHABLE'],
      [(_, response) => void response.destroy(), 11, 'error SERVER_UNREACHABLE'],
      [
        (request, response) => {
          const words = `\u001b[31m${request.headers.authorization}`;
          const problem = { title: 'ODD', detail: words.repeat(1_000), hint: 'x' };
          response.writeHead(400, json).end(JSON.stringify(problem));
        },
        1,
        'refused it (ODD): ',
      ],
    ];
    for (const [listener, status, words] of cases) {
      const [odd, folder] = await answering(listener);
      const told = await through(all, ['run', 'list'], folder);
      const own = String((odd.address() as AddressInfo).port);
      expect([told.status, told.stderr]).toEqual([
        status,
        expect.stringContaining(words.replace('PORT', own)),
      ]);
      expect(told.stderr).not.toContain('\u001b');
      expect(told.stderr.length).toBeLessThan(12_000);
      odd.closeAllConnections();
      odd.close();
    }
    expect(heard).toBe('');
    elsewhere.close();
    const gone = await through(all, ['run', 'list'], elsewhereFolder);
    expect([gone.status, gone.stderr]).toEqual([
      11,
      expect.stringMatching(/error SERVER_UNREACHABLE {2}http:\S+ does not respond: ECONNREFUSED\./),
    ]);
    // Only what changes something may have been carried out.
    for (const [words, isTold] of [
      ['doctor', false],
      ['schedule apply --dry-run', false],
      ['schedule apply --yes', false],
      ['snapshot verify --all', false],
      ['freeze south --reason x', true],
    ] as const) {
      const { stderr } = await through(all, words.split(' '), elsewhereFolder);
      const told = stderr.includes('The request may have been carried out; check before you repeat it.');
      expect([words, told]).toEqual([words, isTold]);
    }
  });
});

describe('a server that stops in the middle of a stream', () => {
  const verified = { id: 'one', files: 3, bytes: 7, problems: [] };
  const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  it.each([
    [
      'tells what went wrong',
      event('problem', { title: 'STORE_BROKEN', detail: 'cannot be read', hint: 'x' }),
      'error STORE_BROKEN  cannot be read',
    ],
    ['sends what is no JSON', 'event: verified\ndata: {\n\n', 'is not JSON'],
    ['says nothing more', '', 'error SERVER_UNREACHABLE'],
  ])('has what it told before shown, where it %s', async (_, after, words) => {
    const odd = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${event('verified', verified)}${after}`);
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const { port } = odd.address() as AddressInfo;
    const folder = folderFor(`port-${port}`, { server: `http://127.0.0.1:${port}` });
    const verify = (form: string) => through(all, ['snapshot', 'verify', '--all', '-o', form], folder);
    const [table, json, lines] = [await verify('table'), await verify('json'), await verify('ndjson')];
    for (const { status, stderr } of [table, json, lines])
      expect([status === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
    expect(table.stdout).toMatch(/^one +3 +7 bytes +ok$/m);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: {}, verified: [verified] });
    expect(lines.stdout.startsWith(`${JSON.stringify(verified)}\n`)).toBe(true);
    odd.closeAllConnections();
    odd.close();
  });
});

it('a list ends where a server repeats its pages', async () => {
  let asked = 0;
  const odd = createServer((_request, response) => {
    asked += 1;
    const snapshots = [{ id: `${asked}`, unreadable: { code: 'ODD', why: 'odd' } }];
    const next = asked < 20 ? `page ${asked % 3}` : undefined;
    response.end(JSON.stringify({ snapshots, routes: [], next }));
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  const { port } = odd.address() as AddressInfo;
  const line = new ServerLine({ url: `http://127.0.0.1:${port}` });
  await portolanOver(line).listSnapshots();
  expect(asked).toBe(4);
  await line.close();
  odd.close();
});

it('what is watched stays the same after a lost connection', async () => {
  const asked: (string | undefined)[] = [];
  const odd = createServer(({ url }, response) => {
    asked.push(url);
    const record = runRecordOf({ runId: 'sync-free-1' });
    const view = { record, open: asked.length < 2, source: 'run', pending: [], notes: [] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`event: run\ndata: ${JSON.stringify(view)}\n\n`);
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  const { port } = odd.address() as AddressInfo;
  const line = new ServerLine({ url: `http://127.0.0.1:${port}` });
  for await (const { open } of portolanOver(line).watchRun({ run: 'latest' })) if (!open) break;
  expect(asked).toEqual(['/api/v1/runs/latest/live', '/api/v1/runs/sync-free-1/live']);
  await line.close();
  odd.close();
});

it('a server whose streams end before they say anything is not asked for ever', async () => {
  let asked = 0;
  const odd = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  const { port } = odd.address() as AddressInfo;
  const line = new ServerLine({ url: `http://127.0.0.1:${port}` });
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => asked * 20_000);
  const stop = AbortSignal.timeout(10_000);
  try {
    await expect(portolanOver(line).watchRun({ run: 'any' }, { signal: stop }).next()).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
    expect(asked).toBeLessThan(5);
  } finally {
    clock.mockRestore();
    await line.close();
    odd.close();
  }
});

describe('whoever signs in', () => {
  it('does so in a browser, is known from then on by a token that nobody else reads, until they sign out [P25]', async () => {
    process.env['PORTOLAN_KEY'] = '';
    const login = new Portolan(['login', '--no-browser'], { cwd: away });
    await login.says('/sign-in?cli=');
    const [page = ''] = /http\S+\/sign-in\?cli=\S+/.exec(login.stderr) ?? [];
    const back = `http://127.0.0.1:${new URL(page).searchParams.get('cli')}`;
    // Another page of the same browser may know the port; what it sends is no code.
    expect((await fetch(`${back}/?code=of-somebody-else`)).status).toBe(400);
    expect((await fetch(back)).status).toBe(404);
    const began = await fetch(page, { redirect: 'manual' });
    const cookie = began.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const shownPage = await (await fetch(began.headers.get('location') ?? '')).text();
    const [, oauth_state = ''] = /name="oauth_state" value="([^"]+)"/.exec(shownPage) ?? [];
    const signed = await fetch(`${rehearsal.source.world.portalUrl}/sharing/oauth2/signin`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ oauth_state, username: 'owner', password: 'owner-pw' }),
    });
    const came = await fetch(signed.headers.get('location') ?? '', {
      redirect: 'manual',
      headers: { cookie },
    });
    const sentBack = came.headers.get('location') ?? '';
    expect(sentBack).toMatch(new RegExp(`^${back}/\\?code=`));
    expect(await (await fetch(sentBack)).text()).toContain('You are signed in');
    const { status, stdout, stderr } = await login.ended;
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining(`signed in to ${server.url} as owner@north`),
    ]);

    const file = path.join(rehearsal.folder, 'home', 'portolan', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { servers } = JSON.parse(readFileSync(file, 'utf8')) as {
      servers: Record<string, { token: string }>;
    };
    const token = servers[server.url]?.token ?? '';
    expect(token.length).toBeGreaterThan(100);
    expect(`${stdout}${stderr}${sentBack}${site.log()}`).not.toContain(token);
    const who = await through(undefined, ['whoami', '-o', 'json']);
    expect(JSON.parse(who.stdout)).toMatchObject({ who: 'owner@north', identity: 'portal' });
    const run = await through(undefined, ['sync', 'free', '-o', 'json']);
    expect(recordOf(run)).toMatchObject({ startedBy: 'owner@north', actions: [{ identity: 'portal' }] });

    const out = await through(undefined, ['logout']);
    expect(out.stdout).toBe(`signed out of ${server.url}, where you were owner@north\n`);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    expect((await through(undefined, ['whoami'])).stderr).toContain('error KEY_REFUSED');
    expect((await through(undefined, ['logout'])).stdout).toContain('you were not signed in');
  });
});
