import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pino from 'pino';
import { stringify } from 'yaml';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { runGroups } from '../../src/domain/protect/rule-groups';
import { addToIndex } from '../../src/domain/snapshot/held-index';
import { openSnapshots } from '../../src/domain/snapshot/snapshots';
import { mapLimited } from '../../src/model/map-limited';
import type { RunRecord } from '../../src/model/run/run';
import { wholeOfPart } from '../../src/model/run/run-id';
import type { Coverage } from '../../src/model/snapshot/coverage';
import { startServer } from '../../src/serve/server';
import { builtInUsers } from '../../src/simulator/seed/users';
import { keys } from '../../src/store/keys';
import { withTemporal } from '../../src/temporal/connection';
import { Child } from '../child';
import { QuickStore, writeRecords } from '../finding-runs';
import { median } from '../report';
import type { PortalsProcess } from './portals-process';
import { WorkerProcess } from './worker-process';

const program = require.resolve('../../src/cli/main');
const run = promisify(execFile);

const ITEMS_A_GROUP = 100;
/** So many are there when the rule runs: what it costs depends on groups. */
const ITEMS_AT_FIRST = 10;
const RULE = 'here/all';
/** Snapshots of each group that a rule keeps: daily for two weeks, weekly for two months. */
const SNAPSHOTS_A_GROUP = 20;
const ROUNDS = 3;
/** What every answer takes while items are counted. @format milliseconds */
const ANSWER_MS = 50;
const OUTPUT_MAX = 256 * 1024 ** 2;

/** What it costs to protect and count a whole portal, and to look at what has become of it. */
export interface WholePortal {
  readonly groups: number;
  readonly items: number;
  readonly rule: {
    readonly ms: number;
    /** Of the longest history of the parent. */
    readonly events: number;
    /** @format bytes */
    readonly bytes: number;
  };
  readonly coverage: { readonly ms: number; readonly requests: number; readonly answerMs: number };
  readonly records: number;
  readonly snapshots: number;
  readonly looks: readonly { readonly what: string; readonly ms: number }[];
}

interface Options {
  readonly address: string;
  readonly groups: number;
  readonly records: number;
  readonly say: (words: string) => void;
}

/** A rule backs up all groups of a portal, and its items are counted; then everything that shows them is looked at. */
export async function measureWholePortal(
  folder: string,
  { address, groups, records, say }: Options,
): Promise<WholePortal> {
  const home = path.join(folder, 'whole-portal');
  await mkdir(home);
  const portal = new Child<PortalsProcess>('scale/portals-process');
  let worker: WorkerProcess | undefined;
  try {
    const [url] = await portal.call('start', { name: 'here', count: 1, folder: home, answerMs: 0 });
    await portal.call('plant', [...Array(groups).keys()].map(groupOf(0, ITEMS_AT_FIRST)));
    const file = await configure(home, address, url!);
    worker = await WorkerProcess.start(file, path.join(home, 'worker.log'));
    say(`a rule backs up ${groups} groups`);
    const record = await portolan<RunRecord>(file, 'protect', 'run', RULE);
    if (record.status !== 'succeeded') throw new Error(`${record.runId} is ${record.status}`);
    const rule = { ms: lasted(record), ...(await longestHistory(file, record.runId)) };
    await portal.call(
      'plant',
      [...Array(groups).keys()].map(groupOf(ITEMS_AT_FIRST, ITEMS_A_GROUP - ITEMS_AT_FIRST)),
    );
    say(`every answer takes ${ANSWER_MS} ms, and the portal's items are counted`);
    await portal.call('slow', ANSWER_MS);
    const begun = performance.now();
    const { complete, totals } = await portolan<Coverage>(file, 'coverage', 'here');
    const coverage = {
      ms: performance.now() - begun,
      answerMs: ANSWER_MS,
      requests: await portal.call('asked', undefined),
    };
    if (!complete || totals.items !== groups * ITEMS_A_GROUP)
      throw new Error(`${totals.items} items are counted`);
    const looks = await lookAt(file, { records, say });
    const snapshots = groups * SNAPSHOTS_A_GROUP;
    return { groups, items: totals.items, rule, coverage, records, snapshots, looks };
  } finally {
    await worker?.stop();
    await portal.end();
  }
}

const idOf = (letter: string, at: number): string => `${letter}${at.toString(16).padStart(31, '0')}`;

const groupOf = (first: number, items: number) => (group: number) => ({
  at: 0,
  id: idOf('e', group),
  title: `Group ${group}`,
  items: Array.from({ length: items }, (_, at) => idOf('a', group * ITEMS_A_GROUP + first + at)),
});

async function configure(home: string, address: string, url: string): Promise<string> {
  const { username, password } = builtInUsers.admin;
  await writeFile(path.join(home, 'secret'), password, { mode: 0o600 });
  const auth = { type: 'password', username, password: { file: './secret' } };
  const rule = {
    groups: 'title:Group',
    schedule: { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
    backup: { maxAge: '2d' },
    concurrency: 8,
  };
  const file = path.join(home, 'portolan.yaml');
  const settings = {
    temporal: { address, taskQueue: 'whole-portal' },
    store: { type: 'local', path: './store' },
    serve: { address: '127.0.0.1:0', open: true },
    portals: { here: { url, auth, concurrency: { exports: 8 }, protect: { all: rule } } },
  };
  await writeFile(file, stringify(settings));
  return file;
}

/** A command may say by its exit status that something is not well; it still answers. */
async function portolan<T>(config: string, ...words: string[]): Promise<T> {
  const command = [program, ...words, '--config', config, '-o', 'json'];
  const { stdout } = await run(process.execPath, command, { maxBuffer: OUTPUT_MAX }).catch(
    (thrown: { stdout?: string }) => {
      if (thrown.stdout) return { stdout: thrown.stdout };
      throw thrown;
    },
  );
  return JSON.parse(stdout) as T;
}

const lasted = ({ startedAt, finishedAt }: RunRecord): number =>
  Date.parse(finishedAt ?? '') - Date.parse(startedAt);

/** Of all executions that one run has continued in. */
const longestHistory = (file: string, runId: string): Promise<{ events: number; bytes: number }> =>
  withTemporal(loadConfig(file), async ({ client }) => {
    let [events, bytes] = [0, 0];
    for await (const each of client.workflow.list({ query: `WorkflowId = '${runId}'` })) {
      const { historyLength, historySize } = await client.workflow.getHandle(runId, each.runId).describe();
      events = Math.max(events, historyLength);
      bytes = Math.max(bytes, historySize ?? 0);
    }
    return { events, bytes };
  });

const cli =
  (...words: string[]) =>
  (file: string): Promise<unknown> =>
    portolan(file, ...words);

const shown =
  (place: string) =>
  async (_file: string, url: string): Promise<void> => {
    const answer = await fetch(`${url}${place}`, { headers: { accept: 'text/html, application/json' } });
    await answer.text();
    if (!answer.ok) throw new Error(`${place} is answered by ${answer.status}`);
  };

const looksOf: Readonly<Record<string, (file: string, url: string) => Promise<unknown>>> = {
  status: cli('status'),
  'protect list': cli('protect', 'list'),
  'protect show': cli('protect', 'show', RULE),
  'snapshot list': cli('snapshot', 'list'),
  'GET /readyz': shown('/readyz'),
  'GET /metrics': shown('/metrics'),
  'GET /api/v1/status': shown('/api/v1/status'),
  'page Now': shown('/'),
  'page Runs': shown('/runs'),
  'page Backups': shown('/backups'),
  'page Coverage': shown('/coverage'),
  'page Items': shown('/items'),
};

async function lookAt(
  file: string,
  { records, say }: Pick<Options, 'records' | 'say'>,
): Promise<WholePortal['looks']> {
  const config = loadConfig(file);
  say(`${records} records are written, and ${SNAPSHOTS_A_GROUP} snapshots of each group`);
  await writeRecords({ config }, records);
  await writeSnapshots(config);
  const server = await startServer(config, pino({ level: 'silent' }));
  try {
    const looks: { what: string; ms: number }[] = [];
    for (const [what, look] of Object.entries(looksOf)) {
      const rounds: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const begun = performance.now();
        await look(file, server.url);
        rounds.push(performance.now() - begun);
      }
      say(`${what}: ${rounds.map(Math.round).join(' ')} ms`);
      looks.push({ what, ms: median(rounds) });
    }
    return looks;
  } finally {
    await server.close();
  }
}

/** The ID of a run or snapshot that was as old. */
const dated = (id: string, takenAt: string): string =>
  id.replace(/\d{8}T\d{6}Z/, `${takenAt.slice(0, 10).replaceAll('-', '')}T023000Z`);

/** Older ones of the same groups, which share what the first ones hold. */
async function writeSnapshots(config: Config): Promise<void> {
  const store = QuickStore.of(config);
  const snapshots = openSnapshots(config, store);
  const ids = await snapshots.ids();
  const wholes = new Set<string>();
  await mapLimited(ids, 32, async (id) => {
    const manifest = await snapshots.read(id);
    const rows = await snapshots.rowsOf(manifest);
    const whole = wholeOfPart(id) ?? '';
    wholes.add(whole);
    for (let night = 1; night < SNAPSHOTS_A_GROUP; night += 1) {
      const takenAt = new Date(Date.parse(manifest.takenAt) - night * 86_400_000).toISOString();
      const older = { ...manifest, id: dated(id, takenAt), takenAt };
      await store.writeJson(keys.snapshotManifest(older.id), older);
      await addToIndex(store, older, rows);
    }
  });
  const at = (night: number): string => new Date(Date.now() - night * 86_400_000).toISOString();
  for (const whole of wholes) {
    const groups = await store.readJson(keys.runGroups(whole), runGroups);
    for (let night = 1; night < SNAPSHOTS_A_GROUP; night += 1)
      await store.writeJson(keys.runGroups(dated(whole, at(night))), groups);
  }
}
