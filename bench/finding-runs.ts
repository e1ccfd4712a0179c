import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import { stringify } from 'yaml';
import { resolveRun } from '../src/service/run/find-run';
import { runPage, type RunPage } from '../src/service/run/run-rows';
import type { ReadContext } from '../src/service/run/run-sources';
import { startOptions, newRunId } from '../src/service/run/start-run';
import type { Config } from '../src/config/config';
import { loadConfig } from '../src/config/load-config';
import { mapLimited } from '../src/model/map-limited';
import { indexRun } from '../src/domain/run/run-index';
import type { RunRecord } from '../src/model/run/run';
import { startServer } from '../src/serve/server';
import { keys } from '../src/store/keys';
import { readKey } from '../src/secrets/secret';
import { AuthenticStore } from '../src/store/authentic/authentic-store';
import { LocalStore } from '../src/store/local/local-store';
import { openStore } from '../src/store/open-store';
import { withTemporal } from '../src/temporal/connection';
import { registerSearchAttributes } from '../src/temporal/search-attributes';
import { findTemporalCli } from '../src/temporal/dev-server/temporal-cli';
import { startTemporalServer } from '../src/temporal/dev-server/temporal-server';
import { median } from './report';

const FEW = 100;
const ROUNDS = 7;
const WRITTEN_AT_A_TIME = 32;
const STARTED_AT_A_TIME = 50;
/** Between two runs of a route. @format milliseconds */
const APART_MS = 10 * 60_000;

/** How long each look takes, among few runs and among many. @format milliseconds */
export interface Look {
  readonly what: string;
  readonly few: number;
  readonly many: number;
}

export interface Finding {
  /** Records in the store, and executions in Temporal, among which was looked. */
  readonly records: number;
  readonly executions: number;
  readonly looks: readonly Look[];
}

/**
 * How long it takes to find one run and to list the newest ones, among few and among many. Records are written into a
 * store; executions are started in a Temporal server of its own, and terminated, since nobody works on them.
 * @param forMs how long executions are started
 */
export async function findAmong(
  folder: string,
  { records, forMs, say }: { records: number; forMs: number; say: (words: string) => void },
): Promise<Finding> {
  const cli = await findTemporalCli();
  const logFile = path.join(folder, 'temporal-of-finding.log');
  const server = await startTemporalServer({ cli: cli.path, address: '127.0.0.1:0', logFile });
  try {
    const configure = async (name: string): Promise<Config> => {
      const file = path.join(folder, `${name}.yaml`);
      const url = 'http://127.0.0.1:9/portal/sharing/rest';
      const portal = { url, auth: { type: 'token', token: { env: 'NONE' } } };
      const [source, target] = ['a'.repeat(32), 'b'.repeat(32)];
      const route = { source: { portal: 'here', group: source }, target: { portal: 'there', group: target } };
      const config = {
        temporal: { address: server.address, taskQueue: name },
        store: { path: path.join(folder, name) },
        portals: { here: portal, there: portal },
        routes: { nightly: route, rare: route },
        serve: { address: '127.0.0.1:0', open: true },
      };
      await writeFile(file, stringify(config));
      return loadConfig(file);
    };
    const [few, many] = [await configure('few'), await configure('many')];
    return await withTemporal(many, async (temporal) => {
      await registerSearchAttributes(temporal.connection, temporal.namespace);
      const at = (config: Config): Required<ReadContext> => ({ config, store: openStore(config), temporal });
      say(`${records} records are written`);
      const [fewIds, manyIds] = [await writeRecords(at(few), FEW), await writeRecords(at(many), records)];
      say(`for ${forMs / 1000} s, executions are started in Temporal`);
      await startExecutions(at(few), { most: FEW, forMs });
      const executions = await startExecutions(at(many), { most: records, forMs });
      const servers = await Promise.all(
        [few, many].map((config) => startServer(config, pino({ level: 'silent' }))),
      );
      const [fewAt, manyAt] = servers.map(({ url }) => url);
      const looks: Look[] = [];
      for (const [what, look] of looksOf) {
        const timed = async (
          sources: ReadContext,
          url = '',
          ids: readonly string[] = [],
        ): Promise<number> => {
          const times: number[] = [];
          for (let round = 0; round < ROUNDS; round += 1) {
            const runId = ids[Math.floor((ids.length * (round + 1)) / (ROUNDS + 2))] as string;
            const begun = performance.now();
            await look(sources, runId, url);
            times.push(performance.now() - begun);
          }
          return median(times);
        };
        const [amongFew, amongMany] = [
          await timed(at(few), fewAt, fewIds),
          await timed(at(many), manyAt, manyIds),
        ];
        looks.push({ what, few: amongFew, many: amongMany });
      }
      await Promise.all(servers.map((each) => each.close()));
      return { records, executions, looks };
    });
  } finally {
    await server.stop();
  }
}

const page = (sources: ReadContext, options: object): Promise<RunPage> =>
  runPage(sources, { limit: 50, ...options });

const shown = async (address: string): Promise<void> => {
  const answer = await fetch(address, { headers: { accept: 'text/html' } });
  const text = await answer.text();
  if (!answer.ok || !text.includes('</main>')) throw new Error(`${address} is answered by ${answer.status}`);
};

/** What is typed, without the start of the process, and a page to its last byte, without the browser. */
const looksOf: readonly (readonly [
  string,
  (sources: ReadContext, runId: string, url: string) => Promise<unknown>,
])[] = [
  ['run show ID', resolveRun],
  ['run show of an end', (sources, runId) => resolveRun(sources, runId.slice(runId.lastIndexOf('-') + 1))],
  ['run show latest', (sources) => resolveRun(sources, 'latest')],
  ['run list', (sources) => page(sources, {})],
  ['run list --route', (sources) => page(sources, { route: 'nightly' })],
  ['run list --status failed', (sources) => page(sources, { status: 'failed' })],
  ['page Now', (_sources, _runId, url) => shown(url)],
  ['page Runs', (_sources, _runId, url) => shown(`${url}/runs`)],
  ['page of a run', (_sources, runId, url) => shown(`${url}/runs/${runId}`)],
  ['page Audit', (_sources, _runId, url) => shown(`${url}/audit`)],
];

/** A store whose writes need not outlive a crash: a hundred thousand of them would take a quarter of an hour. */
export class QuickStore extends LocalStore {
  /** Signed as the store of a configuration is. */
  static of(config: Config): AuthenticStore {
    if (config.store.type !== 'local') throw new Error('The records of a bench lie in a folder.');
    return new AuthenticStore(new QuickStore(config.store.path), () =>
      readKey(config.storeKey, 'key of the store'),
    );
  }

  override async writeJson(key: string, value: unknown): Promise<void> {
    const file = path.join(this.where, key);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(value));
  }
}

/** @returns ids of runs that are over, the newest last */
export async function writeRecords(
  { config }: Pick<ReadContext, 'config'>,
  count: number,
): Promise<string[]> {
  const { taskQueue } = config.temporal;
  const store = QuickStore.of(config);
  const now = Date.now();
  const ids = await mapLimited([...Array(count).keys()], WRITTEN_AT_A_TIME, async (index) => {
    const at = now - (count - index) * APART_MS;
    // Ends that are drawn repeat themselves among so many: these tell one run from all others.
    const runId = newRunId('sync', 'nightly', new Date(at)).replace(/\w+$/, `x${index}`);
    const record: RunRecord = {
      runId,
      kind: 'sync',
      status: index % 10 === 0 ? 'failed' : 'succeeded',
      target: 'changed',
      route: { name: 'nightly' },
      temporal: { workflowId: runId, runId: 'f00d', taskQueue },
      startedAt: new Date(at).toISOString(),
      finishedAt: new Date(at + 60_000).toISOString(),
      phases: [],
      actions: [],
      warnings: [],
      leftRunning: [],
    };
    await indexRun(store, record);
    await store.writeJson(keys.record(runId), record);
    return runId;
  });
  return ids;
}

/** @returns how many there are */
async function startExecutions(
  { config, temporal }: Required<ReadContext>,
  { most, forMs }: { most: number; forMs: number },
): Promise<number> {
  const { client, connection, namespace } = temporal;
  const { taskQueue } = config.temporal;
  const route = { name: 'nightly', source: endOf('here'), options: {} } as never;
  const options = startOptions('sync', config, { route, startedBy: 'bench' });
  const until = Date.now() + forMs;
  let started = 0;
  await mapLimited([...Array(most).keys()], STARTED_AT_A_TIME, async () => {
    if (Date.now() > until) return;
    const workflowId = newRunId('sync', 'nightly').replace(/\w+$/, `e${(started += 1)}`);
    const handle = await client.workflow.start('sync', { workflowId, args: [], ...options });
    await handle.terminate();
  });
  // The index has them a moment later.
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Terminated'`;
  for (let found = 0; found < started;) {
    const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query });
    found = Number(count);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return started;
}

const endOf = (portal: string) => ({ portal, url: 'http://127.0.0.1:9', groupId: 'a'.repeat(32) });
