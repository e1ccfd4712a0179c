import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { onlyVariables, openVariables } from '../../../src/model/open-variables';
import { type CheckProgress, StageChecks } from '../../../src/domain/release/checks/stage-checks';
import { until } from '../../support/until';
import { aConfig, aPortal } from '../../support/config';
import { aFolder } from '../../support/folder';
import { close, listen } from '../../support/listening';
import { aRow, AStore } from '../snapshot/a-store';

const store = new AStore();
let release: string;
let sha256: string;
let folder: string;
let pauses: number[];

beforeAll(async () => {
  const taken = await store.take({ id: 'backup-transport.roads-1' }, [
    ...Array.from({ length: 1_001 }, (_, index) => aRow(`item${index}`)),
    aRow('lost', { saved: 'no' }),
  ]);
  expect(taken.rows).toMatchObject({ count: 1_002, saved: 1_001 });
  ({ id: release, sha256 } = await store.release({ roads: taken }));
});

beforeEach(() => {
  folder = aFolder();
  pauses = [];
});

/** The checks of a stage whose portolan.yaml says this of them. */
async function checksOf(...checks: object[]) {
  const auth = { type: 'token', token: { env: 'PLANTED_TOKEN' } };
  const stages = {
    dev: { portal: 'dev', groups: { roads: 'dev1' } },
    staging: { portal: 'staging', groups: { roads: 'staging1' }, checks },
  };
  const portals = { dev: aPortal('dev'), staging: aPortal('staging', { auth }) };
  const config = aConfig({ portals, pipelines: { transport: { groups: ['roads'], stages } } }, folder);
  return new StageChecks(config, store.snapshots, async (ms) => pauses.push(ms));
}

const carryOut = (
  checks: StageChecks,
  check = 'smoke',
  options: Partial<Parameters<StageChecks['carryOut']>[1]> = {},
) =>
  checks.carryOut(
    { runId: 'promotion-transport-1', pipeline: 'transport', stage: 'staging', check, release },
    { signal: new AbortController().signal, onProgress: () => {}, ...options },
  );

describe('a command', () => {
  const named = (text: string, more: object = {}): object => ({
    name: 'smoke',
    command: [process.execPath, '-e', text],
    ...more,
  });

  it('knows what was promoted and where, and no secret of the worker [P15]', async () => {
    process.env['PLANTED_TOKEN'] = 'planted-token';
    process.env['PORTOLAN_PLANTED'] = 'planted-too';
    const told = `
      const context = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      require('node:fs').writeFileSync('told', JSON.stringify({ env: process.env, context }));`;
    const checks = await checksOf(named(told));
    expect(await carryOut(checks)).toEqual({
      name: 'smoke',
      status: 'passed',
      tries: 1,
      tookMs: expect.any(Number),
      output: {},
    });
    delete process.env['PLANTED_TOKEN'];
    delete process.env['PORTOLAN_PLANTED'];
    const { env, context } = JSON.parse(readFileSync(path.join(folder, 'told'), 'utf8')) as {
      env: Record<string, string>;
      context: { groups: { itemIds: string[] }[] };
    };
    expect(env).toEqual({
      ...onlyVariables(openVariables, process.env),
      PORTOLAN_RUN: 'promotion-transport-1',
      PORTOLAN_PIPELINE: 'transport',
      PORTOLAN_STAGE: 'staging',
      PORTOLAN_CHECK: 'smoke',
      PORTOLAN_RELEASE: release,
      PORTOLAN_PORTAL_URL: 'https://staging.example.com/portal/sharing/rest',
    });
    expect(context).toEqual({
      runId: 'promotion-transport-1',
      pipeline: 'transport',
      stage: 'staging',
      check: 'smoke',
      portal: { name: 'staging', url: 'https://staging.example.com/portal/sharing/rest' },
      release: { id: release, sha256 },
      groups: [{ name: 'roads', groupId: 'staging1', items: 1_001, itemIds: expect.any(Array) }],
    });
    expect(context.groups[0]?.itemIds).toEqual(Array.from({ length: 1_000 }, (_, index) => `item${index}`));
  });

  it('that stands in the folder is started by its name alone, and no shell is between', async () => {
    await writeFile(path.join(folder, 'smoke.sh'), '#!/bin/sh\necho "$# $PORTOLAN_STAGE"\n', { mode: 0o755 });
    const checks = await checksOf(
      { command: './smoke.sh' },
      { name: 'args', command: ['./smoke.sh', '$HOME; x'] },
    );
    expect(checks.due('transport', 'staging').map(({ name }) => name)).toEqual(['smoke.sh', 'args']);
    expect((await carryOut(checks, 'smoke.sh')).output).toEqual({ stdout: '0 staging' });
    expect((await carryOut(checks, 'args')).output).toEqual({ stdout: '1 staging' });
  });

  it('fails with what it printed: no control, no secret, and of a flood the last lines', async () => {
    const flood = `
      process.stdout.write('token=' + 'planted'.repeat(1000) + '\\nthe end\\n');
      process.stderr.write('\\u001b[31mred\\u001b[0m \\u202eno\\u0007 password: planted\\n');
      process.exitCode = 3;`;
    expect(await carryOut(await checksOf(named(flood)))).toEqual({
      name: 'smoke',
      status: 'failed',
      tries: 1,
      tookMs: expect.any(Number),
      problem: 'ended with exit status 3',
      output: { stdout: '…\nthe end', stderr: 'red no  password: ***' },
    });
  });

  it('is ended with all that it started where it takes too long', async () => {
    // The one that it starts says its id, and lives until it is ended.
    const child = `require('node:fs').writeFileSync('child', String(process.pid)); setInterval(() => {}, 1000)`;
    const slow = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['-e', ${JSON.stringify(child)}]);
      setInterval(() => {}, 1000);`;
    const checks = await checksOf(named(slow, { within: '2s' }));
    // A busy machine needs longer to start what has to be ended.
    do
      expect(await carryOut(checks)).toMatchObject({
        status: 'failed',
        problem: 'did not finish within 2s',
        tries: 1,
      });
    while (!existsSync(path.join(folder, 'child')));
    const id = Number(readFileSync(path.join(folder, 'child'), 'utf8'));
    await until('what the check has started has ended', () => !lives(id));
  });

  it('that leaves something running has ended, and so has that', async () => {
    const leaves = `
      const { spawn } = require('node:child_process');
      const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      console.log(left.pid);
      left.unref();`;
    const { status, output } = await carryOut(await checksOf(named(leaves)));
    expect(status).toBe('passed');
    await until('what it left has ended', () => !lives(Number(output.stdout)));
  });

  it('is tried as often as it may fail, counting the tries of an earlier worker', async () => {
    const third = `
      const fs = require('node:fs');
      fs.appendFileSync('tried', 'x');
      process.exitCode = fs.readFileSync('tried', 'utf8').length < 3 ? 1 : 0;`;
    const checks = await checksOf(named(third, { tries: 5 }));
    const progress: CheckProgress[] = [];
    const onProgress = (each: CheckProgress) => progress.push(each);
    expect(await carryOut(checks, 'smoke', { onProgress })).toMatchObject({ status: 'passed', tries: 3 });
    expect(pauses).toEqual([5_000, 10_000]);
    expect(progress.map(({ tries }) => tries)).toEqual([1, 2]);
    const before = { tries: 4, since: Date.now() - 60_000 };
    await writeFile(path.join(folder, 'tried'), '');
    const { tries, status, tookMs } = await carryOut(checks, 'smoke', { before });
    expect({ tries, status, isWhole: tookMs >= 60_000 }).toEqual({
      tries: 5,
      status: 'failed',
      isWhole: true,
    });
  });

  it('that is not there fails at once', async () => {
    const checks = await checksOf({ command: './none', tries: 3 });
    expect(await carryOut(checks, 'none')).toMatchObject({
      status: 'failed',
      tries: 1,
      problem: 'cannot be started (ENOENT)',
      output: {},
    });
  });

  it('has no verdict where its worker stops', async () => {
    const stop = new AbortController();
    const started = `require('node:fs').writeFileSync('started', String(process.pid)); setInterval(() => {}, 1000)`;
    const result = carryOut(await checksOf(named(started)), 'smoke', { signal: stop.signal });
    const isStarted = () => existsSync(path.join(folder, 'started'));
    await until('the check has started', isStarted);
    stop.abort();
    await expect(result).rejects.toThrow('aborted');
  });

  it('is what the worker has under its name, whatever a run asks for [P13]', async () => {
    const checks = await checksOf(named('0'));
    await expect(carryOut(checks, 'other')).rejects.toMatchObject({
      code: 'CONFIG_MISMATCH',
      message: expect.stringContaining('has no check "other" at stage staging of transport; defined: smoke'),
    });
    expect(() => checks.due('transport', 'production')).toThrow(
      'has no stage "production" of pipeline transport',
    );
  });

  it('is given time for all its tries', async () => {
    const checks = await checksOf(named('0'), named('0', { name: 'b', tries: 3, within: '1h' }), {
      url: 'https://a.example.com/b',
    });
    expect(checks.due('transport', 'staging')).toEqual([
      { name: 'smoke', longestMs: 6 * 60_000 },
      { name: 'b', longestMs: 3 * 3_600_000 + 15_000 + 60_000 },
      { name: 'a.example.com/b', longestMs: 90_000 },
    ]);
  });
});

describe('a URL', () => {
  const asks: http.IncomingMessage[] = [];
  let answer: (response: http.ServerResponse) => void;
  let server: http.Server;
  let url: string;

  beforeAll(async () => {
    server = http.createServer((request, response) => {
      asks.push(request);
      answer(response);
    });
    url = `http://127.0.0.1:${await listen(server)}/health`;
  });
  afterEach(() => {
    asks.splice(0);
  });
  afterAll(() => close(server));

  it.each([
    ['200', 200, 'passed', undefined],
    ['another status', 503, 'failed', 'returned HTTP 503, not 200'],
    ['a redirect, which is not followed', 302, 'failed', 'returned HTTP 302, not 200'],
  ])('answers with %s', async (_, status, verdict, problem) => {
    answer = (response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('all is \u001b[1mwell\n');
    expect(await carryOut(await checksOf({ name: 'smoke', url }))).toEqual({
      name: 'smoke',
      status: verdict,
      problem,
      tries: 1,
      tookMs: expect.any(Number),
      output: { answer: 'all is well' },
    });
    expect(asks.map(({ method, url: asked, headers }) => [method, asked, headers.authorization])).toEqual([
      ['GET', '/health', undefined],
    ]);
  });

  it('that answers nothing fails in time, and an endless answer is cut', async () => {
    answer = () => {};
    const slow = await checksOf({ name: 'smoke', url, within: '1s' });
    expect(await carryOut(slow)).toMatchObject({
      problem: 'did not respond within 1s',
      status: 'failed',
    });
    answer = (response) => {
      response.writeHead(200);
      const more = () => response.destroyed || (response.write('x'.repeat(2_000)), setImmediate(more));
      more();
    };
    const endless = await carryOut(await checksOf({ name: 'smoke', url }));
    expect(endless).toMatchObject({ status: 'passed', output: { answer: 'x'.repeat(4_096) } });
  });

  it('that nobody listens for cannot be reached', async () => {
    const checks = await checksOf({ name: 'smoke', url: 'http://127.0.0.1:9/' });
    expect(await carryOut(checks)).toMatchObject({ problem: 'cannot be reached (ECONNREFUSED)' });
  });
});

function lives(id: number) {
  try {
    process.kill(id, 0);
    // One that nobody has waited for yet is there by its id alone.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}
