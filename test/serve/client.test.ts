import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
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
import { hashOfKey } from '../../src/serve/access';
import { type RunningServer, startServer } from '../../src/serve/server';
import { Watches } from '../../src/serve/watches';
import { LocalStore } from '../../src/store/local/local-store';
import { freePorts } from '../../src/temporal/dev-server/address';
import { type Ended, Portolan } from '../support/child';
import { expectEnd, expectRefused, inProcess } from '../support/in-process';
import { recordOf } from '../support/json';
import { isLong } from '../support/long';
import { openServedSite } from '../support/served-site';
import type { Site } from '../support/site';
import { until } from '../support/until';
import { runRecordOf, viewOf } from '../cli/run/records';
import { Browser, locationOf } from './a-browser';

const all = 'planted-key-of-whoever-may-all';
const viewer = 'planted-key-of-a-viewer';
const rights = ['view', 'start', 'operate', 'approve'];

let site: Site;
let server: RunningServer;
/** A folder whose portolan.yaml names the server, and nothing else. */
let away: string;
/** A run of the route `free` that has ended. */
let ended: string;
const before = { ...process.env };

function folderFor(name: string, file: object) {
  const folder = path.join(site.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'portolan.yaml'), stringify(file));
  return folder;
}

async function through(key: string | undefined, line: string, cwd = away) {
  process.env['PORTOLAN_KEY'] = key ?? '';
  const said = await inProcess(line.split(' '), { cwd });
  expect(`${said.stdout}${said.stderr}`).not.toContain('planted-key');
  return said;
}
const remote = (line: string) => through(all, line);
const local = (line: string) => inProcess(line.split(' '), { cwd: site.folder });

const reached = (runId: string, status: RunRecord['status']): Promise<RunRecord | undefined> =>
  until(
    `${runId} to be ${status}`,
    () => site.record(runId),
    (record) => record?.status === status,
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
  ({ server } = site);
  site.source.settings.apps = { 'portolan-app': [`${server.url}/sign-in/callback`] };
  away = folderFor('away', { server: server.url });
  process.env['XDG_CONFIG_HOME'] = path.join(site.folder, 'home');
  await local('schedule apply --yes');
  await local('release create transport');
  const synced = await expectEnd(remote('sync free -o json'), 0, `server   ${server.url}`);
  expect(recordOf(synced)).toMatchObject({ status: 'succeeded', startedBy: 'all' });
  ended = recordOf(synced).runId;
});
afterAll(async () => {
  process.env = before;
  await site?.close();
});

/** What differs between two moments, or is only known on the machine of the server. */
const comparable = ({ status, stdout, stderr }: Ended): object => {
  const [out = '', err = ''] = [stdout, stderr].map((text) =>
    text
      .replace(/\b\d+\.\ds\b/g, 'N s')
      .replace(/"ageMs":\s*\d+/g, '"ageMs": 0')
      .replace(/^(web {6}|ui {7}).*\n/gm, '')
      .replaceAll(path.join(site.folder, 'portolan.yaml'), 'portolan.yaml')
      .replaceAll(`${server.url}: `, 'portolan.yaml: '),
  );
  const isJson = /^\s*[[{]/.test(out);
  return { status, err, out: isJson ? (JSON.parse(out) as unknown) : out.trimEnd() };
};

describe('a command that asks a server', () => {
  it('prints what it prints on the server, and ends with the same status', async () => {
    const lines = [
      'run list --limit 1 --route free',
      `run show ${ended.slice(-4)}`,
      `run show ${ended} --plan`,
      `run logs ${ended} --problems`,
      `run watch ${ended}`,
      `run retry ${ended}`,
      'schedule list',
      'queue list',
      'status',
      'promote status transport --no-drift',
      'release show latest:transport',
      'snapshot list',
      'snapshot verify --all',
      'snapshot forget --route transport.roads --keep-last 1 --dry-run',
      'diff free',
      'doctor free',
      'freezes',
      'hook test ops',
      'settings export north',
      'schedule apply --dry-run --exit-code',
      // What fails, fails in the same words.
      'diff nothing',
      'freeze nothing --reason x',
      'settings apply north --saved nothing-like-it --yes',
      'promote nothing --to live',
      'snapshot diff latest:nothing live',
      'snapshot forget',
      `run approve ${ended} --plan 0000-0000-0000`,
      'sync free --from north',
      'restore nothing --to south --into 1234',
      `queue release south ${ended} --reason x`,
    ];
    const forms = isLong ? ['table', 'json'] : [undefined];
    for (const [at, line] of lines.entries())
      for (const form of forms) {
        const typed = `${line} -o ${form ?? (at % 2 === 0 ? 'table' : 'json')}`;
        const look = async () => [comparable(await local(typed)), comparable(await remote(typed))] as const;
        let [here, there] = await look();
        // Temporal's index may have changed in between.
        for (let again = 0; again < 3 && !isDeepStrictEqual(here, there); again += 1)
          [here, there] = await look();
        expect([typed, there]).toEqual([typed, here]);
      }
  });

  it('starts a run once and follows it, also while its server restarts', async () => {
    const [port = 0] = await freePorts(1);
    const config = loadConfig(`${site.folder}/portolan.yaml`);
    const kept = { ...config, serve: { ...config.serve, address: `127.0.0.1:${port}` } };
    const silent = pino({ level: 'silent' });
    const first = await startServer(kept, silent);
    const folder = folderFor('moved', { server: first.url });
    site.editSource();
    const asked = 'sync asks --full --request-id winter:Straße --reason closures';
    const begun = await expectEnd(through(all, asked, folder), 4, 'waiting for approval');
    const [, runId = ''] = /^run +(sync-asks-\S+)/m.exec(begun.stderr) ?? [];
    await expectEnd(local(asked), 4, runId);
    const plan = (await reached(runId, 'waiting'))?.plan?.hash;
    const opened = jest.spyOn(Watches.prototype, 'open');
    const watching = through(all, `run watch ${runId} -o json`, folder);
    await until('the watch', () => opened.mock.calls.length > 0);
    opened.mockRestore();
    await first.close();
    const second = await startServer(kept, silent);
    await expectEnd(remote(`run approve ${runId} --plan ${plan}`), 0, `approved: plan ${plan}`);
    const record = recordOf(await watching);
    await second.close();
    expect(record).toEqual(recordOf(await local(`run show ${runId} -o json`)));
    expect(record.actions).toMatchObject([
      { what: 'start', who: 'all', identity: 'key', reason: 'closures' },
      { what: 'approve', who: 'all', identity: 'key' },
    ]);
  });

  it('prints the address of the web UI', async () => {
    const page = `${server.url}/runs/${ended}`;
    expect(await remote(`open ${ended}`)).toMatchObject({ status: 0, stdout: `${page}\n` });
    await expectEnd(remote(`run show ${ended}`), 0, `web      ${page}\n`);
    await expectRefused(remote('open nothing-like-it'), 10);
    await expectEnd(local('open'), 2, /^error USAGE {2}The address of the web UI is unknown here\./);
  });

  it('shows the snapshots that were verified before the store failed', async () => {
    const openFile = LocalStore.prototype.openFile;
    const failing = jest.spyOn(LocalStore.prototype, 'openFile');
    await local('backup create free --full');
    for (const ask of [local, remote]) {
      const read = new Set<string>();
      failing.mockImplementation(async function (this: LocalStore, key) {
        if (key.endsWith('.epk')) read.add(key);
        if (read.size > 1) throw new PortolanError('STORE_UNREACHABLE', 'the store is away');
        return await openFile.call(this, key);
      });
      await expectEnd(ask('snapshot verify --all'), 1, 'the store is away', /^SNAPSHOT .*\n\S+ .* ok$/m);
    }
    failing.mockRestore();
  });

  it('waits for its turn if a server has no more', async () => {
    const { faults } = site.source;
    faults.add({ match: { operation: 'group.content' }, do: 'hold' });
    const asked = [1, 2, 3].map(() => remote('diff free'));
    await until('as many to be asked as may be', () => faults.holding > 1);
    faults.clear();
    faults.release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([0, 0, 0]);
  });

  it('completes the names that the server knows', async () => {
    for (const [line, name] of [
      ['sync fre', 'free'],
      [`run show ${ended.slice(0, -2)}`, ended],
      ['queue release nor', 'north/export'],
    ] as const)
      await expectEnd(remote(`__complete ${line}`), 0, name);
  });

  it.each(['sync nothing', 'freeze nothing --reason x', 'promote diff nothing x'])(
    'is not told by "%s" where the file of the server is [P25]',
    async (line) => {
      const { stderr } = await expectEnd(remote(line), 10, 'portolan.yaml has no ');
      expect(stderr).not.toContain(site.folder);
    },
  );

  it.each([
    'worker',
    'snapshot import x --trust x',
    'release export latest --to x --key x',
    'clean',
    'serve',
    'doctor --cluster',
    'up',
  ])("is refused if %s needs a worker's machine", async (line) => {
    await expectEnd(
      remote(line),
      2,
      /^error USAGE {2}This command needs a worker's configuration, but \S+ names a server\.\n/,
    );
  });
});

describe('the server of a command', () => {
  it('is that of the file, of PORTOLAN_SERVER or of --config [P24]', async () => {
    const whoami = async (cwd: string, more = '') => {
      const { stdout, stderr } = await through(all, `whoami -o json${more}`, cwd);
      return stderr || (JSON.parse(stdout) as unknown);
    };
    expect(await whoami(away)).toEqual({ who: 'all', identity: 'key', rights });
    expect(await whoami(site.folder)).toMatchObject({ identity: 'claimed' });
    process.env['PORTOLAN_SERVER'] = server.url;
    expect(await whoami(path.join(site.folder, 'no-such-folder'))).toMatchObject({ who: 'all' });
    const typed = path.join(site.folder, 'portolan.yaml');
    expect(await whoami(away, ` --config ${typed}`)).toMatchObject({ identity: 'claimed' });
    process.env['PORTOLAN_SERVER'] = 'http://portolan.example.com';
    expect(await whoami(away)).toContain('PORTOLAN_SERVER would receive the key unencrypted; use https');
    delete process.env['PORTOLAN_SERVER'];
    for (const [file, words] of [
      [{ server: server.url, store: { type: 'local', path: './store' } }, /store: unknown setting/],
      [{ server: 'http://portolan.example.com' }, /would receive the key unencrypted/],
      // It is asked, and nobody has that name.
      [{ server: 'http://portolan.invalid', insecure: true }, /error SERVER_UNREACHABLE/],
      [
        { server: 'https://anna:planted@portolan.example.com' },
        /must not hold a user name or password(?!.*planted)/,
      ],
    ] as const)
      expect(await whoami(folderFor('odd', file))).toMatch(words);
  });

  it('refuses a wrong key and a missing right', async () => {
    const needs = (right: string) =>
      `error RIGHT_MISSING  viewer has only these rights: view. This needs ${right}.`;
    for (const [key, line, words] of [
      ['planted-key-of-nobody', 'status', 'The key is not valid for this server.\n  Set PORTOLAN_KEY'],
      [undefined, 'status', 'error KEY_REFUSED'],
      ['two words', 'status', 'PORTOLAN_KEY holds no key'],
      [viewer, 'sync free', needs('start')],
      [viewer, 'snapshot verify --all', needs('operate')],
    ] as const) {
      const { status, stderr } = await through(key, line);
      expect([line, key, status, stderr]).toEqual([
        ...[line, key, key === 'two words' ? 2 : 12],
        expect.stringContaining(words),
      ]);
    }
    process.env['PORTOLAN_KEY_FILE'] = path.join(site.folder, 'key');
    await expectEnd(through(undefined, 'status'), 2, 'cannot be read (ENOENT)');
    writeFileSync(process.env['PORTOLAN_KEY_FILE'], `${viewer}\n`);
    await expectEnd(through(undefined, 'whoami'), 0, 'viewer');
    delete process.env['PORTOLAN_KEY_FILE'];
    expect(site.log()).not.toContain('planted-key');
  });
});

/** A server that responds in another way than ours. */
async function withOddServer<T>(listener: RequestListener, work: (url: string) => Promise<T>) {
  const odd = createServer(listener);
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(odd.address() as AddressInfo).port}`);
  } finally {
    odd.closeAllConnections();
    odd.close();
  }
}
const typedAt = (url: string, line: string) => through(all, line, folderFor('odd', { server: url }));
const json = { 'content-type': 'application/json' };
const answering =
  (status: number, body: string): RequestListener =>
  (_, response) =>
    void response.writeHead(status, json).end(body);

describe('a server that is not Portolan', () => {
  it('is given no key by a redirect [P24]', async () => {
    let asked = 0;
    const listener: RequestListener = (_, response) => {
      asked += 1;
      response.end('{}');
    };
    const { status, stderr } = await withOddServer(listener, (elsewhere) =>
      withOddServer(
        (_, response) => void response.writeHead(302, { location: `${elsewhere}/taken` }).end(),
        (url) => typedAt(url, 'run list'),
      ),
    );
    expect([status, stderr, asked]).toEqual([
      1,
      expect.stringContaining('a key is never sent to a redirect.'),
      0,
    ]);
  });

  it.each<[string, number, RequestListener]>([
    ['its response to /api/v1/runs is not JSON', 1, answering(200, '<html>')],
    ['has a different version of Portolan, at runs.0.runId', 1, answering(200, '{"runs":[{"runId":7}]}')],
    [
      'is larger than 32 MB',
      1,
      (_, response) => {
        response.writeHead(200, json);
        const more = () => {
          while (response.write('x'.repeat(1024 * 1024)));
        };
        response.on('drain', more).on('error', () => undefined);
        more();
      },
    ],
    ['is HTTP 500 without a reason', 1, answering(500, '{}')],
    ['error SERVER_UNREACHABLE', 11, answering(502, 'x')],
    ['error SERVER_UNREACHABLE', 11, (_, response) => void response.destroy()],
    [
      'refused it (ODD): ',
      1,
      ({ headers }, response) => {
        const detail = `\u001b[31m${headers.authorization}`.repeat(1_000);
        answering(400, JSON.stringify({ title: 'ODD', detail, hint: 'x' }))({} as never, response);
      },
    ],
  ])('is reported: %s (%#)', async (words, status, listener) => {
    const told = await expectEnd(
      withOddServer(listener, (url) => typedAt(url, 'run list')),
      status,
      words,
    );
    expect(told.stderr).not.toContain('\u001b');
    expect(told.stderr.length).toBeLessThan(12_000);
  });

  it.each([
    ['doctor', false],
    ['schedule apply --dry-run', false],
    ['snapshot verify --all', false],
    ['freeze south --reason x', true],
  ])('may have carried out "%s" without an answer: %s', async (line, isTold) => {
    const gone = await withOddServer(answering(200, ''), (url) => Promise.resolve(url));
    const { stderr } = await expectEnd(typedAt(gone, line), 11, 'does not respond: ECONNREFUSED.');
    expect(stderr.includes('The request may have been carried out; check before')).toBe(isTold);
  });

  const verified = { id: 'one', files: 3, bytes: 7, problems: [] };
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const streaming =
    (...events: string[]): RequestListener =>
    (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));

  it.each([
    [
      'error STORE_BROKEN  cannot be read',
      event('problem', { title: 'STORE_BROKEN', detail: 'cannot be read', hint: 'x' }),
    ],
    ['is not JSON', 'event: verified\ndata: {\n\n'],
    ['error SERVER_UNREACHABLE', ''],
  ])('ends a stream with "%s" after what it sent', async (words, after) => {
    await withOddServer(streaming(event('verified', verified), after), async (url) => {
      for (const [form, shown] of [
        ['table', /^one +3 +7 bytes +ok$/m],
        ['json', new RegExp(`"error":[^]*"verified": \\[\\s*\\{\\s*"id": "one"`)],
        ['ndjson', new RegExp(`^${JSON.stringify(verified).replace(/[[\]{}]/g, '\\$&')}\n`)],
      ] as const) {
        const { status, stdout, stderr } = await typedAt(url, `snapshot verify --all -o ${form}`);
        expect([form, status === 0, stderr]).toEqual([form, false, expect.stringContaining(words)]);
        expect(stdout).toMatch(shown);
      }
    });
  });

  const overLine = <T>(listener: RequestListener, work: (line: ServerLine) => Promise<T>) =>
    withOddServer(listener, async (url) => {
      const line = new ServerLine({ url });
      return await work(line).finally(() => line.close());
    });

  it('ends a list whose pages repeat', async () => {
    let asked = 0;
    const listener: RequestListener = (request, response) => {
      asked += 1;
      const snapshots = [{ id: `${asked}`, unreadable: { code: 'ODD', why: 'odd' } }];
      const next = asked < 20 ? `page ${asked % 3}` : undefined;
      answering(200, JSON.stringify({ snapshots, routes: [], next }))(request, response);
    };
    await overLine(listener, (line) => portolanOver(line).listSnapshots());
    expect(asked).toBe(4);
  });

  it('shows the same run after a lost connection', async () => {
    const asked: (string | undefined)[] = [];
    const listener: RequestListener = (request, response) => {
      asked.push(request.url);
      const view = viewOf(runRecordOf({ runId: 'sync-free-1' }), { open: asked.length < 2, source: 'run' });
      streaming(event('run', view))(request, response);
    };
    await overLine(listener, async (line) => {
      for await (const { open } of portolanOver(line).watchRun({ run: 'latest' })) if (!open) break;
    });
    expect(asked).toEqual(['/api/v1/runs/latest/live', '/api/v1/runs/sync-free-1/live']);
  });

  it('is not asked for ever if its streams are empty', async () => {
    let asked = 0;
    const listener: RequestListener = (request, response) => {
      asked += 1;
      streaming()(request, response);
    };
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => asked * 20_000);
    await overLine(listener, (line) =>
      expect(portolanOver(line).watchRun({ run: 'any' }).next()).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
      }),
    );
    clock.mockRestore();
    expect(asked).toBeLessThan(5);
  });
});

describe('portolan login', () => {
  it('signs in by a browser with a token that only its owner reads, until logout [P25]', async () => {
    process.env['PORTOLAN_KEY'] = '';
    const login = new Portolan(['login', '--no-browser'], { cwd: away });
    await login.says('/sign-in?cli=');
    const [page = ''] = /http\S+\/sign-in\?cli=\S+/.exec(login.stderr) ?? [];
    const back = `http://127.0.0.1:${new URL(page).searchParams.get('cli')}`;
    // Another page of the same browser may know the port, but has no code.
    expect((await fetch(`${back}/?code=of-somebody-else`)).status).toBe(400);
    expect((await fetch(back)).status).toBe(404);
    const browser = new Browser(server, site.source.world.portalUrl);
    const sentBack = locationOf(await browser.signedIn('owner', page));
    expect(sentBack.startsWith(`${back}/?code=`)).toBe(true);
    expect(await (await fetch(sentBack)).text()).toContain('You are signed in');
    const { stdout, stderr } = await expectEnd(login.ended, 0, `signed in to ${server.url} as owner@north`);

    const file = path.join(site.folder, 'home', 'portolan', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { servers } = JSON.parse(readFileSync(file, 'utf8')) as {
      servers: Record<string, { token: string }>;
    };
    const token = servers[server.url]?.token ?? '';
    expect(token.length).toBeGreaterThan(100);
    expect(`${stdout}${stderr}${sentBack}${site.log()}`).not.toContain(token);
    const who = await through(undefined, 'whoami -o json');
    expect(JSON.parse(who.stdout)).toMatchObject({ who: 'owner@north', identity: 'portal' });

    const out = await through(undefined, 'logout');
    expect(out.stdout).toBe(`signed out of ${server.url}, where you were owner@north\n`);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    await expectEnd(through(undefined, 'whoami'), 12, 'error KEY_REFUSED');
    await expectEnd(through(undefined, 'logout'), 0, 'you were not signed in');
  });
});
