import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { request as httpRequest, type RequestOptions } from 'node:http';
import https, { request as httpsRequest } from 'node:https';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import pino from 'pino';
import { parse, stringify } from 'yaml';
import { contract } from '../../src/contract/contract';
import { loadConfig } from '../../src/config/load-config';
import { readStatus } from '../../src/service/status/read-status';
import { mapLimited } from '../../src/model/map-limited';
import { hashOfKey } from '../../src/serve/access';
import { type RunningServer, startServer } from '../../src/serve/server';
import { Sources } from '../../src/serve/sources';
import type { ReadContext } from '../../src/service/run/run-sources';
import { inProcess } from '../support/in-process';
import { jsonOf } from '../support/json';
import { Line } from '../support/line';
import type { Rehearsal } from '../support/rehearsal';
import { openServedSite, type ServedSite } from '../support/served-site';
import { until } from '../support/until';

const key = 'planted-key-of-a-dashboard';

let site: ServedSite;
let rehearsal: Rehearsal;
let server: RunningServer;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
  readonly headers: Headers;
}
async function ask(
  where: string,
  headers: Record<string, string> = { authorization: `Bearer ${key}` },
): Promise<Answer> {
  const answer = await fetch(`${server.url}${where}`, { headers });
  const type = answer.headers.get('content-type') ?? '';
  return { status: answer.status, type, body: await answer.json(), headers: answer.headers };
}
const typed = async (...args: string[]): Promise<unknown> =>
  jsonOf(await inProcess([...args, '-o', 'json'], { cwd: rehearsal.folder }));

/** A request under another name of the server than its address, or from another address of this machine. */
const statusFor = (how: Pick<RequestOptions, 'headers' | 'localAddress'>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    httpRequest(`${server.url}/healthz`, how, (answer) => resolve(answer.resume().statusCode))
      .once('error', reject)
      .end();
  });

let runId: string;
let waiting: string;
beforeAll(async () => {
  site = await openServedSite({
    serve: { url: 'https://portolan.example.com', keys: { dashboard: { sha256: hashOfKey(key) } } },
  });
  ({ rehearsal, server } = site);
  await typed('schedule', 'apply', '--yes');
  await typed('release', 'create', 'transport');
  ({ runId } = (await typed('sync', 'free')) as { runId: string });
  rehearsal.editSource();
  ({ runId: waiting } = (await typed('sync', 'asks', '--no-wait')) as { runId: string });
  await rehearsal.waiting(rehearsal.temporal.client.workflow.getHandle(waiting));
});
afterAll(() => site.close());

describe('the API', () => {
  it('says what the command line says, of runs, of one, of its plan, of what happened to it, of portal queues, schedules, releases, stages and of how things stand', async () => {
    // Temporal's index tells a moment later how a run stands.
    await until('the same runs here and there', async () =>
      isDeepStrictEqual((await ask('/api/v1/runs')).body, { runs: await typed('run', 'list') }),
    );
    const [run, plan, events, queues, status] = await Promise.all(
      [`runs/${runId}`, `runs/${waiting}/plan`, `runs/${runId}/events`, 'queues', 'status'].map((what) =>
        ask(`/api/v1/${what}`),
      ),
    );
    expect(run?.body).toEqual(await typed('run', 'show', runId));
    const rows = (await typed('run', 'show', waiting, '--plan')) as { rows: unknown[] };
    expect(plan?.body).toEqual({ ...rows, total: rows.rows.length });
    expect(events?.body).toEqual(await typed('run', 'logs', runId));
    expect(queues?.body).toEqual(await typed('queue', 'list'));
    expect((await ask('/api/v1/schedules')).body).toEqual(await typed('schedule', 'list'));
    expect((await ask('/api/v1/releases')).body).toEqual(await typed('release', 'list'));
    const { body: pipelines } = await ask('/api/v1/pipelines');
    expect(pipelines).toEqual([{ pipeline: 'transport', stages: ['dev', 'live'] }]);
    const { body: stages } = await ask('/api/v1/pipelines/transport');
    expect(stages).toEqual(await typed('promote', 'status', 'transport'));
    expect(stages).toMatchObject({ stages: [{ name: 'dev', release: expect.any(String) }, { next: {} }] });
    expect(status?.body).toMatchObject({ waiting: [{ runId: waiting }], workers: [expect.any(String)] });
  });

  it('gives long lists by pages, each of which says where the next one begins', async () => {
    const first = (await ask('/api/v1/runs?limit=1')).body as { runs: { runId: string }[]; next?: string };
    expect(first.runs.map((each) => each.runId)).toEqual([waiting]);
    const second = (await ask(`/api/v1/runs?limit=1&cursor=${first.next}`)).body;
    expect(second).toMatchObject({ runs: [{ runId }] });
    const plan = `/api/v1/runs/${waiting}/plan`;
    const rows = (await ask(`${plan}?limit=2`)).body;
    expect(rows).toMatchObject({ rows: [{}, {}], total: 3, next: '2' });
    expect((await ask(`${plan}?limit=2&cursor=2`)).body).toMatchObject({ rows: [{}], total: 3 });
    expect((await ask(`${plan}?search=count%202`)).body).toMatchObject({
      rows: [{ title: 'Count 2' }],
      total: 1,
    });
  });

  it('tells what goes wrong as a problem, with what to do next', async () => {
    const problems = {
      '/api/v1/runs/nothing-like-it': [404, 'RUN_NOT_FOUND'],
      '/api/v1/runs/..%2f..%2fetc': [404, 'RUN_NOT_FOUND'],
      [`/api/v1/runs/${runId}x/plan`]: [404, 'RUN_NOT_FOUND'],
      '/api/v1/runs?limit=0': [400, 'USAGE'],
      '/api/v1/runs?status=odd': [400, 'USAGE'],
      '/api/v1/runs?cursor=x': [400, 'USAGE'],
      '/api/v1/pipelines/nothing': [404, 'PIPELINE_NOT_FOUND'],
      '/api/v1/nothing': [404, 'NOT_FOUND'],
      '/nothing': [404, 'NOT_FOUND'],
    };
    for (const [where, [status, title]] of Object.entries(problems)) {
      const { type, body } = await ask(where);
      expect([where, type, body]).toEqual([
        where,
        'application/problem+json; charset=utf-8',
        expect.objectContaining({
          type: `urn:portolan:error:${title}`,
          title,
          status,
          hint: expect.any(String),
        }),
      ]);
    }
  });

  it('refuses a query parameter that it does not have, and names the one that was meant', async () => {
    expect(await ask('/api/v1/runs?limt=1')).toMatchObject({
      status: 400,
      body: { title: 'USAGE', detail: expect.stringContaining('"limt" here; did you mean "limit"?') },
    });
    expect(await ask('/api/v1/status?limit=1')).toMatchObject({ status: 400, body: { title: 'USAGE' } });
  });

  it('answers a method that an address does not take with 405, and says which it takes', async () => {
    const headers = { authorization: `Bearer ${key}` };
    for (const [method, where, allow] of [
      ['DELETE', '/api/v1/runs', 'GET, HEAD'],
      ['GET', `/api/v1/runs/${runId}/approve`, 'POST'],
      ['POST', `/api/v1/runs/${runId}?x=1`, 'GET, HEAD'],
    ] as const) {
      const answer = await fetch(`${server.url}${where}`, { method, headers });
      expect([where, answer.status, answer.headers.get('allow')]).toEqual([where, 405, allow]);
      expect(await answer.json()).toMatchObject({ title: 'METHOD_NOT_ALLOWED', status: 405 });
    }
  });

  it('has the same events of how things stand while nothing changes', async () => {
    const taken = await typed('backup', 'create', 'free');
    expect(taken).toMatchObject({ status: 'succeeded' });
    const { config } = rehearsal;
    const free = config.routes.get('free')!;
    const backup = { ...free.backup, maxAgeMs: 86_400_000 };
    const sources = new Sources({ ...config, routes: new Map([['free', { ...free, backup }]]) });
    try {
      const looks = [await sources.readable(readStatus), await sources.readable(readStatus)];
      expect(looks[1]).toEqual(looks[0]);
      expect(looks[0]).toMatchObject({ backedUp: { routes: 1, oldestAt: expect.any(String) } });
    } finally {
      await sources.close();
    }
  });

  it('is described by OpenAPI 3.1, in a form that a validator accepts, with a schema for each answer', async () => {
    const { body } = await ask('/api/v1/openapi.json');
    expect(JSON.stringify(body).length).toBeLessThan(160 * 1024);
    const found = body as {
      openapi: string;
      servers: unknown;
      paths: Record<
        string,
        Record<
          string,
          {
            operationId: string;
            tags?: string[];
            description?: string;
            parameters?: unknown[];
            responses: Record<string, unknown>;
          }
        >
      >;
    };
    expect(found.openapi).toBe('3.1.0');
    expect(found.servers).toEqual([{ url: 'https://portolan.example.com' }]);
    expect(await validate(found as never)).toMatchObject({ valid: true });
    const operations = Object.values(found.paths).flatMap((path) => Object.values(path));
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(operations.length);
    expect(names).toEqual(expect.arrayContaining(['readStatus', 'listRuns', 'startSync', 'approveRun']));
    // Whoever starts something has to know by what it is the same run when it is sent again.
    const starts = operations.filter(
      ({ operationId }) => 'starts' in contract[operationId as keyof typeof contract],
    );
    expect(starts).toHaveLength(13);
    for (const { operationId, description, parameters } of starts)
      expect([operationId, description, parameters]).toEqual([
        operationId,
        expect.stringContaining('Idempotency-Key'),
        expect.arrayContaining([expect.objectContaining({ in: 'header', name: 'idempotency-key' })]),
      ]);
    for (const { operationId, responses } of operations)
      expect([operationId, Object.keys(responses)]).toEqual([
        operationId,
        expect.arrayContaining([expect.stringMatching(/^20/), 'default']),
      ]);
  });
});

describe('an invalid request', () => {
  it('is answered with a pointer to each invalid value', async () => {
    expect(await ask('/api/v1/runs?limit=0&status=odd')).toMatchObject({
      status: 400,
      body: {
        title: 'USAGE',
        errors: expect.arrayContaining([
          { in: 'querystring', pointer: '/limit', detail: expect.any(String) },
          { in: 'querystring', pointer: '/status', detail: expect.any(String) },
        ]),
      },
    });
  });
});

describe('the page /api', () => {
  it('shows every operation of the contract', async () => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/html' };
    const html = await (await fetch(`${server.url}/api`, { headers })).text();
    for (const [id, { at }] of Object.entries(contract))
      expect([id, html]).toEqual([id, expect.stringContaining(at)]);
  });
});

describe('who asks', () => {
  it('needs a key of portolan.yaml, which no answer and no log has [P15][P25]', async () => {
    const refused: Record<string, string>[] = [
      {},
      { authorization: 'Bearer another' },
      { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` },
      { authorization: `Bearer ${key} ${key}` },
    ];
    for (const headers of refused) {
      const answer = await ask('/api/v1/status', headers);
      expect(answer).toMatchObject({ status: 401, body: { title: 'KEY_REFUSED' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(JSON.stringify(answer.body)).not.toContain(key);
    }
    expect((await ask('/api/v1/openapi.json', {})).status).toBe(401);
    expect(site.log()).not.toContain(key);
  });

  it('reaches the server under its own names alone [P25]', async () => {
    const { host, port } = new URL(server.url);
    for (const name of [host, `localhost:${port}`, 'portolan.example.com'])
      expect(await statusFor({ headers: { host: name } })).toBe(200);
    for (const name of [
      'evil.example.com',
      `evil.example.com:${port}`,
      'localhost',
      `127.0.0.1.evil.example.com:${port}`,
    ])
      expect([name, await statusFor({ headers: { host: name } })]).toEqual([name, 421]);
  });
});

describe('portolan serve', () => {
  it('makes keys of which portolan.yaml has the hash alone', async () => {
    const made = (await typed('serve', 'key', 'ci')) as { name: string; key: string; sha256: string };
    expect(made).toEqual({
      name: 'ci',
      key: expect.stringMatching(/^[\w-]{43}$/),
      sha256: hashOfKey(made.key),
    });
    const { stdout } = await inProcess(['serve', 'key', 'ci'], { cwd: rehearsal.folder });
    expect(stdout).toMatch(
      /^key {2}[\w-]{43}\n\nin portolan\.yaml:\nserve:\n {2}keys:\n {4}ci:\n {6}sha256: [0-9a-f]{64}\n$/,
    );
  });

  it('answers by https where it has a certificate, and begins nowhere where that cannot be read', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const [cert, certKey] = ['serve.pem', 'serve.key'].map((name) => path.join(rehearsal.folder, name));
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '1',
        ],
        ...[
          '-subj',
          '/CN=localhost',
          '-addext',
          'subjectAltName=DNS:localhost',
          '-keyout',
          certKey!,
          '-out',
          cert!,
        ],
      ],
      { stdio: 'ignore' },
    );
    const withTls = (tls: { cert: string; key: string }) => ({ ...config, serve: { ...config.serve, tls } });
    const made = jest.spyOn(https, 'createServer');
    const safe = await startServer(withTls({ cert: cert!, key: certKey! }), pino({ level: 'silent' }));
    try {
      // Whoever sends a request bit by bit is waited for no longer than by plain http.
      const patience = { connectionsCheckingInterval: 1_000, headersTimeout: 15_000 };
      expect(made.mock.calls.map(([given]) => given)).toEqual([expect.objectContaining(patience)]);
      expect(safe.url).toMatch(/^https:/);
      const at = {
        port: new URL(safe.url).port,
        ca: readFileSync(cert!),
        host: 'localhost',
        path: '/healthz',
      };
      const status = await new Promise((resolve, reject) => {
        httpsRequest(at, (answer) => resolve(answer.resume().statusCode))
          .once('error', reject)
          .end();
      });
      expect(status).toBe(200);
      await expect(fetch(safe.url.replace('https', 'http'))).rejects.toThrow('fetch failed');
    } finally {
      made.mockRestore();
      await safe.close();
    }
    const lost = withTls({ cert: cert!, key: `${certKey}.lost` });
    await expect(startServer(lost, pino({ level: 'silent' }))).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
    });
  });

  it('begins nowhere where nobody could ask it, or where something else listens', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const taken = { ...config, serve: { ...config.serve, address: new URL(server.url).host } };
    await expect(startServer(taken, pino({ level: 'silent' }))).rejects.toMatchObject({
      code: 'ADDRESS_IN_USE',
    });
    const file = path.join(rehearsal.folder, 'closed.yaml');
    const { serve: _, ...given } = parse(readFileSync(config.path, 'utf8')) as Record<string, unknown>;
    for (const [serve, words] of [
      [{}, 'gives no one access: serve has no keys'],
      [{ address: '0.0.0.0:0', open: true, insecure: true }, 'serve.open: accepts everyone'],
      [{ address: '0.0.0.0:0' }, 'would take keys over plain http'],
    ] as const) {
      writeFileSync(file, stringify({ ...given, serve }));
      const { status, stderr } = await inProcess(['serve', '--config', file], { cwd: rehearsal.folder });
      expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });
});

describe('a probe', () => {
  it('says that the process answers, and whether Temporal, the store and a worker do', async () => {
    expect(await ask('/healthz', {})).toMatchObject({ status: 200, body: { healthy: true } });
    expect(await ask('/readyz', {})).toMatchObject({
      status: 200,
      body: { ready: true, temporal: 'ok', store: 'ok', worker: 'ok' },
    });
  });

  it('says where no worker takes work, and a server of another task queue has nothing of the runs of this one', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const all = { name: 'all', sha256: hashOfKey(key), rights: ['approve', 'operate'] as const };
    const other = await startServer(
      {
        ...config,
        temporal: { ...config.temporal, taskQueue: 'of-nobody' },
        serve: { ...config.serve, keys: new Map([['all', all]]) },
      },
      pino({ level: 'silent' }),
    );
    const at = async (method: string, where: string): Promise<Pick<Answer, 'status' | 'body'>> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body =
        method === 'POST' ? JSON.stringify(where.endsWith('approve') ? { plan: 'abcdef12' } : {}) : undefined;
      const answer = await fetch(`${other.url}${where}`, { method, headers, body });
      return { status: answer.status, body: await answer.json() };
    };
    try {
      expect(await at('GET', '/readyz')).toMatchObject({
        status: 503,
        body: { ready: false, temporal: 'ok', worker: 'none running' },
      });
      expect((await at('GET', '/api/v1/runs')).body).toMatchObject({ runs: [] });
      for (const [method, where] of [
        ['GET', `/api/v1/runs/${waiting}`],
        ['GET', `/api/v1/runs/${waiting}/live`],
        ['POST', `/api/v1/runs/${waiting}/approve`],
        ['POST', `/api/v1/runs/${waiting}/cancel`],
      ] as const) {
        const { status, body } = await at(method, where);
        expect([where, status, JSON.stringify(body)]).toEqual([
          ...[where, expect.any(Number)],
          expect.stringContaining(config.temporal.taskQueue),
        ]);
      }
    } finally {
      await other.close();
    }
    expect((await ask(`/api/v1/runs/${waiting}`)).body).toMatchObject({ status: 'waiting' });
  });
});

describe('a call to Temporal that takes too long', () => {
  it('fails alone, and everybody else still reads from Temporal', async () => {
    const sources = new Sources(rehearsal.config);
    // Nobody works on it, so that a query of it waits.
    const { client } = rehearsal.temporal;
    const idle = await client.workflow.start('idle', { workflowId: 'idle', taskQueue: 'of-nobody' });
    const query = ({ temporal }: Required<ReadContext>): Promise<unknown> =>
      temporal.client.workflow.getHandle(idle.workflowId).query('anything');
    try {
      await expect(sources.both(query, 300)).rejects.toMatchObject({ code: 'TIMEOUT' });
      expect(await sources.readable(({ temporal }) => Promise.resolve(temporal !== undefined))).toBe(true);
    } finally {
      await idle.terminate();
      await sources.close();
    }
  });
});

describe('where Temporal is away, the server', () => {
  it('says so, shows what the store knows, and comes back by itself', async () => {
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const line = await Line.to(config.temporal.address);
    const far = await startServer(
      { ...config, temporal: { ...config.temporal, address: line.address } },
      pino({ level: 'silent' }),
    );
    const at = async (path: string): Promise<{ status: number; body: unknown }> => {
      const answer = await fetch(`${far.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      return { status: answer.status, body: await answer.json() };
    };
    try {
      expect((await at('/readyz')).status).toBe(200);
      line.cut();
      const away = await until(
        'the probe to look again',
        () => at('/readyz'),
        ({ status }) => status === 503,
      );
      expect(away.body).toMatchObject({ ready: false, temporal: 'TEMPORAL_UNREACHABLE', store: 'ok' });
      expect((await at('/api/v1/status')).body).toMatchObject({ temporal: { answers: false }, workers: [] });
      expect((await at(`/api/v1/runs/${runId}`)).body).toMatchObject({ runId, status: 'succeeded' });
      expect(await at('/api/v1/queues')).toMatchObject({
        status: 503,
        body: { title: 'TEMPORAL_UNREACHABLE', detail: expect.stringContaining(line.address) },
      });
      const metrics = await fetch(`${far.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
      const told = await metrics.text();
      expect([metrics.status, told]).toEqual([200, expect.stringMatching(/^portolan_temporal_up 0$/m)]);
      // What Temporal alone knows is not told as nothing.
      expect(told).toMatch(/^portolan_store_up 1$/m);
      expect(told).not.toMatch(/^portolan_(workers|open_runs|held_runs|queue_waiting|ended_runs)\b/m);
      await line.mend();
      await until(
        'its return',
        () => at('/readyz'),
        ({ status }) => status === 200,
      );
      expect((await at('/api/v1/status')).body).toMatchObject({ temporal: { answers: true } });
    } finally {
      await far.close();
      line.cut();
    }
  });
});

describe('who asks too much', () => {
  it('has portals asked twice at a time, whatever it asks of them, and all else answered meanwhile', async () => {
    const { faults } = rehearsal.source;
    faults.add({ match: { operation: 'group.content' }, do: 'hold' });
    const asked = [ask('/api/v1/routes/free/diff'), ask('/api/v1/routes/free/diff')];
    try {
      await until('both to be asked', () => faults.holding > 1);
      for (const where of [
        '/api/v1/routes/free/diff',
        '/api/v1/pipelines/transport?drift=true',
        '/api/v1/pipelines/transport/stages/live/diff',
        `/api/v1/runs/${runId}/takeover?from=preview`,
      ]) {
        const { status, body } = await ask(where);
        expect([where, status, body]).toEqual([where, 429, expect.objectContaining({ title: 'TOO_MANY' })]);
      }
      const page = `${server.url}/pipelines/transport`;
      const headers = { authorization: `Bearer ${key}`, accept: 'text/html' };
      expect((await fetch(`${page}?drift=1`, { headers })).status).toBe(429);
      expect((await fetch(page, { headers })).status).toBe(200);
      expect((await ask('/api/v1/pipelines/transport')).status).toBe(200);
    } finally {
      faults.clear();
      faults.release();
    }
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await ask('/api/v1/pipelines/transport?drift=true')).status).toBe(200);
  });

  it('has its turns back when it leaves, and portals are asked no further', async () => {
    const { faults } = rehearsal.source;
    faults.add({ match: { operation: 'group.content' }, times: 2, do: 'hold' });
    const headers = { authorization: `Bearer ${key}` };
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) => fetch(`${server.url}/api/v1/routes/free/diff`, { headers, signal });
    const left = [ask(leaving.signal), ask(leaving.signal)];
    try {
      await until('both to be asked', () => faults.holding > 1);
      leaving.abort();
      await Promise.allSettled(left);
      const again = await until(
        'a turn',
        () => ask(),
        ({ status }) => status !== 429,
      );
      expect(again.status).toBe(200);
      expect(faults.holding).toBe(2);
    } finally {
      faults.clear();
    }
  });

  it('is refused where it asks more often than anybody needs', async () => {
    const before = site.log().length;
    // So many at once as connections a busy machine still answers in time.
    const answers = await mapLimited(Array.from({ length: 1_000 }), 100, () => ask('/api/v1/whoami'));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ title: 'TOO_MANY' });
    expect(site.log().slice(before)).not.toContain(key);
    // Whoever asks from elsewhere is answered all the while.
    expect(await statusFor({ localAddress: '127.0.0.2' })).toBe(200);
  });

  it('is who a known proxy says it is, and nobody else is', async () => {
    const statuses = async (at: string, from: string): Promise<Set<number>> => {
      const headers = { 'x-forwarded-for': from };
      const answers = Array.from({ length: 45 }, () => fetch(`${at}/healthz`, { headers }));
      return new Set((await Promise.all(answers)).map(({ status }) => status));
    };
    const config = loadConfig(`${rehearsal.folder}/portolan.yaml`);
    const behind = await startServer(
      { ...config, serve: { ...config.serve, proxies: ['127.0.0.0/8'] } },
      pino({ level: 'silent' }),
    );
    try {
      const [one, other] = await Promise.all([
        statuses(behind.url, '198.51.100.7'),
        statuses(behind.url, '198.51.100.8'),
      ]);
      expect([...one, ...other]).toEqual([200, 200]);
    } finally {
      await behind.close();
    }
    const claimed = await Promise.all([
      statuses(server.url, '198.51.100.7'),
      statuses(server.url, '198.51.100.8'),
    ]);
    expect(claimed.flatMap((each) => [...each])).toContain(429);
  });
});
