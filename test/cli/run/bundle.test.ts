import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GuardResult } from '../../../src/model/run/run';
import { clockGuard } from '../../../src/service/transfer/clocks';
import type { RunBundle } from '../../../src/service/support/bundle-file';
import { transportItems } from '../../../src/simulator/seed/transport';
import { indexRun } from '../../../src/domain/run/run-index';
import { keys } from '../../../src/store/keys';
import type { Ended } from '../../support/child';
import { expectEnd, inProcess } from '../../support/in-process';
import { Site } from '../../support/site';
import { typedIn } from '../../support/typed-in';
import { jsonOf } from '../../support/json';

const password = 'Correct-Horse_Battery+Staple/7391';
const webhook = 'https://hooks.example.com/services/T0271/B4410/qX81vCanaryOfTheHook';
const controlKey = 'canary-of-the-control-key-0123456789abcdef';
const payloadKey = '5f1c'.repeat(16);
const secretKey = 'canaryOfAwsSecretAccessKey/9911+x';
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2lnbmF0dXJlLWNhbmFyeQ';
/** What is shown to receivers of traces, and to Temporal, with each call. */
const headers = {
  otlp: 'canaryOfOtlpHeaders/2207+x',
  traces: 'canary-of-traces-headers-5519',
  meta: 'canary-of-grpc-meta-4406',
  profile: 'canary-of-the-profile-7713',
};
const secrets = { password, webhook, controlKey, payloadKey, secretKey, token, ...headers };
const variables = {
  AWS_SECRET_ACCESS_KEY: secretKey,
  OTEL_SDK_DISABLED: 'true',
  OTEL_EXPORTER_OTLP_HEADERS: `x-team=${encodeURIComponent(headers.otlp)},x-set=transport`,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: `x-set=transport, authorization=Bearer%20${headers.traces}`,
  TEMPORAL_GRPC_META_X_CANARY: headers.meta,
};

let at: Site;
/** Where nothing of Portolan is. */
let elsewhere: string;
let runId: string;
let made: Ended;
let bundle: string;

const { run, given, configure, expectRun } = typedIn(() => at.folder);
const show = (file: string, ...more: string[]) =>
  inProcess(['run', 'show', '--bundle', file, ...more], { cwd: elsewhere });
/** `--config` with the site's file that says something else about Temporal. */
function configured(other: object) {
  const file = path.join(at.folder, 'other.yaml');
  configure({ temporal: { ...given<{ temporal: object }>().temporal, ...other } }, file);
  return `--config ${file}`;
}
const inside = async () => gunzipSync(await readFile(bundle)).toString();
const parsed = async (): Promise<RunBundle> => JSON.parse(await inside()) as RunBundle;

beforeAll(async () => {
  Object.assign(process.env, variables);
  elsewhere = await mkdtemp(path.join(os.tmpdir(), 'portolan-elsewhere-'));
  const kept = async (name: string, text: string) => {
    const file = path.join(elsewhere, name);
    await writeFile(file, text, { mode: 0o600 });
    return { file };
  };
  at = await Site.open({
    items: [transportItems.image, transportItems.pdf],
    user: { username: 'owner', password },
    source: { passwords: { owner: password } },
    target: { passwords: { owner: password }, failing: [transportItems.image] },
    encryption: { keys: [{ id: '2026-11', key: await kept('payload-key', payloadKey) }] },
    config: {
      control: { key: await kept('control-key', controlKey) },
      notify: [
        { on: ['failed'], webhook: await kept('webhook', webhook) },
        { on: ['failed'], command: ['/bin/true', `--header=${token}`] },
      ],
    },
  });
  const { record, handle } = await at.sync(at.route({ overwrite: true }), {
    startedBy: `somebody who pasted ${password} here`,
  });
  runId = record.runId;
  expect(record.status).toBe('parked');
  // Somebody writes secrets where people write, and the run ends.
  const reason = `no use: ${webhook} and token=${token} and ${secretKey}`;
  await at.askToEnd(handle, { who: 'a@b', reason, now: false });
  await at.over(handle);
  const log = path.join(at.config.temporal.state, 'worker.log');
  await mkdir(path.dirname(log), { recursive: true });
  const asked = [controlKey, ...Object.values(headers)].join(' and ');
  const line = { msg: `asked with ${asked}`, workflowId: runId, password };
  await appendFile(log, `${JSON.stringify(line)}\n{"msg":"of another run"}\n`);
  const profile = `[profile.default.grpc_meta]\nasked_by = "transport"\nx_canary_of_profile = "${headers.profile}"\n`;
  process.env['TEMPORAL_CONFIG_FILE'] = (await kept('temporal.toml', profile)).file;
  bundle = path.join(elsewhere, 'run.json.gz');
  made = await run(`run bundle ${runId} ${bundle}`);
});
afterAll(async () => {
  for (const name of [...Object.keys(variables), 'TEMPORAL_CONFIG_FILE']) delete process.env[name];
  await at?.close();
  await rm(elsewhere, { recursive: true, force: true });
});

describe('a bundle of a run', () => {
  it('is a file of its owner that names its contents first and replaces none', async () => {
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect((await stat(bundle)).mode & 0o777).toBe(0o600);
    const beginning = (await inside()).split('\n').slice(0, 12).join('\n');
    expect(beginning).toContain(`${runId} at `);
    expect(beginning).toContain(
      'temporal.encryption is on: data that Temporal holds encrypted is unencrypted here.',
    );
    expect(made.stdout).toContain('data that Temporal holds encrypted is unencrypted here');
    const { view, plan, versions, history, events, workerLog, notes, config } = await parsed();
    expect(view.record).toMatchObject({ runId, status: 'cancelled' });
    expect(plan?.rows.length).toBeGreaterThan(0);
    expect(Object.keys(notes)).toContain(`runs/${runId}/ledger.json`);
    expect(versions).toMatchObject({ node: process.version, temporal: expect.stringMatching(/^\d+\.\d+/) });
    expect(new Set(versions.workers.map(({ takes }) => takes))).toEqual(
      new Set(['runs', 'calls', 'transfers']),
    );
    expect(config).toMatchObject({ routes: { transport: { name: 'transport' } } });
    expect(events.at(0)).toMatchObject({ subject: 'run', what: 'started' });
    expect(history.map(({ eventId }) => Number(eventId))).toEqual(history.map((_, index) => index + 1));
    // What Temporal holds encrypted is in clear.
    expect(JSON.stringify(history[0])).toContain('somebody who pasted *** here');
    expect(workerLog).toHaveLength(1);

    await expectRun(`run bundle ${runId} ${bundle}`, 2, 'already exists');
    await expectRun(`run bundle ${runId} ${bundle} --force`, 0);
    expect((await stat(bundle)).mode & 0o777).toBe(0o600);
  });

  it('is made of the store if Temporal is unreachable', async () => {
    const file = path.join(elsewhere, 'away.json.gz');
    const away = configured({ address: '127.0.0.1:1' });
    await expectRun(
      `run bundle ${runId} ${file} ${away}`,
      0,
      'Not included: Temporal data: cannot reach 127.0.0.1:1.',
    );
    await expectEnd(show(file), 0, `CANCELLED ${runId}`);
  });

  it('has the records of child runs, and names what is missing', async () => {
    const { view } = await parsed();
    const whole = `bisect-transport-${runId.slice(-12)}`;
    const children = [
      { runId, items: 1, status: 'cancelled' as const },
      { runId: 'sync-of-nobody', items: 1, status: 'failed' as const },
    ];
    const temporal = { ...view.record.temporal, workflowId: whole, runId: 'gone' };
    const record = { ...view.record, runId: whole, kind: 'bisect', temporal, children };
    await indexRun(at.store, record);
    await at.store.writeJson(keys.record(whole), record);
    const file = path.join(elsewhere, 'whole.json.gz');
    const { stdout } = await expectRun(`run bundle ${whole} ${file} -o json`, 0);
    expect(JSON.parse(stdout)).toMatchObject({
      inside: expect.arrayContaining([
        'Not included: the record of sync-of-nobody: there is none.',
        'Not included: its history: Temporal no longer has it.',
      ]),
    });
    await expectRun(`run logs ${whole}`, 10, 'error NOT_FOUND  Temporal no longer has ');
    const { parts } = JSON.parse(gunzipSync(await readFile(file)).toString()) as RunBundle;
    expect(parts.map((part) => part.runId)).toEqual([runId]);
  });

  it('holds no password, token, key or webhook address in any form [P15]', async () => {
    const text = await inside();
    const keys = [at.config.storeKey, at.config.control.key].flatMap(({ createdFile = '' }) =>
      existsSync(createdFile) ? [createdFile] : [],
    );
    const files = await Promise.all(keys.map(async (file) => (await readFile(file, 'utf8')).trim()));
    const all = [...Object.entries(secrets), ...files.map((value) => ['key of a file', value] as const)];
    expect(all.length).toBeGreaterThan(Object.keys(secrets).length);
    const leaks = all.filter(([, value]) =>
      [value, encodeURIComponent(value), Buffer.from(value).toString('base64').slice(0, -4)].some(
        (form) => text.includes(form) || made.stdout.includes(form),
      ),
    );
    expect(leaks.map(([name]) => name)).toEqual([]);
    // The search does find, and nothing is left that lets a start or an answer in.
    expect(text).toContain('somebody who pasted *** here');
    expect(text).toContain('"mac": "***"');
    expect(text).not.toMatch(/"mac": ?"[0-9a-f]/);
  });

  it('is shown elsewhere as its run is shown here', async () => {
    const there = await run(`run show ${runId}`);
    const here = await expectEnd(show(bundle), 0, 'is not signed');
    const live = (text: string) =>
      text
        .split('\n')
        .filter((line) => !/^(ui|page) /.test(line))
        .join('\n')
        // Columns are as wide as their texts.
        .replace(/ +/g, ' ')
        .trim();
    const masked = Object.values(secrets).reduce((text, each) => text.replaceAll(each, '***'), there.stdout);
    expect(live(here.stdout)).toBe(live(masked));
    const plan = await show(bundle, '--plan');
    expect(plan).toMatchObject({ status: 0, stdout: (await run(`run show ${runId} --plan`)).stdout });
    expect(JSON.parse((await show(bundle, '-o', 'json')).stdout)).toMatchObject({ runId });
    await expectEnd(show(bundle, '--changes'), 2);
  });

  it('is refused if cut off, altered, huge, nested or invalid [P16]', async () => {
    const whole = await readFile(bundle);
    const value = await parsed();
    const altered = Buffer.from(whole);
    altered[Math.floor(whole.length / 2)]! ^= 0xff;
    const zipped = (other: unknown): Buffer => gzipSync(JSON.stringify(other));
    const untimely = { ...value.view.record, window: { until: 'yesterday', why: '' } };
    const files: readonly (readonly [Buffer, RegExp])[] = [
      [whole.subarray(0, whole.length - 40), /is cut off: its end is missing/],
      [altered, /is damaged, or not a Portolan bundle/],
      [gzipSync(Buffer.alloc(65 * 1024 * 1024, 32)), /is too large for a Portolan bundle/],
      [
        gzipSync(`{"portolanBundle":1,"view":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
        /is damaged, or not a Portolan bundle/,
      ],
      [Buffer.from('not even compressed'), /is damaged, or not a Portolan bundle/],
      [zipped([]), /is not a bundle of this version of Portolan: it is invalid/],
      [zipped({ ...value, portolanBundle: 2 }), /: portolanBundle is invalid/],
      [zipped({ ...value, view: 7 }), /: view is invalid/],
      [zipped({ ...value, view: { ...value.view, record: untimely } }), /is not a readable bundle/],
    ];
    const file = path.join(elsewhere, 'other.json.gz');
    for (const [bytes, words] of files) {
      await writeFile(file, bytes);
      const { status, stdout, stderr } = await show(file);
      expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({
        status: 2,
        stdout: '',
        lines: 2,
      });
      expect(stderr).toMatch(words);
    }
    await expectEnd(show(path.join(elsewhere, 'none')), 2, 'cannot be read (ENOENT)');
    await expectEnd(show(elsewhere), 2, 'cannot be read (EISDIR)');
  });
});

describe('doctor --cluster', () => {
  it('examines Temporal, workers, clocks and store, and refuses without workers', async () => {
    const guards = async (status: number, by = '') => {
      const ended = await expectRun(`doctor --cluster -o json ${by}`, status);
      return new Map(jsonOf<GuardResult[]>(ended).map((each) => [each.name, each]));
    };
    const well = await guards(0);
    expect([...well].filter(([, { verdict }]) => verdict === 'refuse')).toEqual([]);
    const passing = [
      ...['temporal', 'payloads', 'search attributes', 'schedules', 'clock of temporal', 'worker versions'],
      ...['workers of runs', 'workers of calls', 'workers of transfers', 'configurations', 'store'],
      ...['backlog of runs', 'backlog of calls', 'backlog of transfers', 'clock of the store'],
    ];
    expect(passing.filter((name) => well.get(name)?.verdict !== 'pass')).toEqual([]);
    const alone = await guards(11, configured({ taskQueue: 'nobody-is-there' }));
    expect(alone.get('workers of transfers')).toMatchObject({ verdict: 'refuse', code: 'NO_WORKER' });
    const away = await guards(11, configured({ address: '127.0.0.1:1' }));
    expect(away.get('temporal')).toMatchObject({ verdict: 'refuse', code: 'TEMPORAL_UNREACHABLE' });
    expect(away.get('store')?.verdict).toBe('pass');
  });

  it('warns of a clock seconds off, and refuses one minutes off', () => {
    const here = { before: 1_000_000, after: 1_000_400 };
    const verdicts = [1_000_100, 996_000, 990_000, 1_060_400, 3_000_000].map(
      (there) => clockGuard('clock', there, here).verdict,
    );
    expect(verdicts).toEqual(['pass', 'pass', 'unknown', 'unknown', 'refuse']);
    expect(clockGuard('clock', 1_060_400, here).saw).toBe('1m00s ahead of this machine');
  });
});
