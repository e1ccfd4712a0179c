import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load-config';
import { mapLimited } from '../../src/model/map-limited';
import { scheduleId } from '../../src/model/run/run-id';
import { startServer } from '../../src/serve/server';
import type { WriteContext } from '../../src/service/run/run-sources';
import { whoTypes } from '../../src/service/run/who';
import { applySchedules } from '../../src/service/schedule/apply-schedules';
import { listSchedules } from '../../src/service/schedule/server-schedules';
import { scheduleRows } from '../../src/service/schedule/schedule-rows';
import { readStatus } from '../../src/service/status/read-status';
import { openStore } from '../../src/store/open-store';
import { withTemporal } from '../../src/temporal/connection';
import { median } from '../report';

const FEW = 10;
const ROUNDS = 5;
const CONCURRENCY = 16;

/** How long a look takes. @format milliseconds */
export interface ScheduleLook {
  readonly what: string;
  readonly few: number;
  readonly many: number;
}

/** The look that also decides whether schedules change. */
export const APPLY = 'schedule apply of no change';

type Look = (sources: WriteContext, url: string) => Promise<unknown>;

const shown = async (address: string): Promise<string> => {
  const answer = await fetch(address, { headers: { accept: 'text/html, application/json' } });
  return await answer.text();
};

const looksOf: readonly (readonly [string, Look])[] = [
  [
    APPLY,
    async (sources) => {
      const { changes } = await applySchedules(sources, {});
      if (changes.some(({ change }) => change !== 'unchanged')) throw new Error('Schedules were changed.');
    },
  ],
  ['schedule list', (sources) => scheduleRows(sources, { runs: 1 })],
  ['status', readStatus],
  ['GET /api/v1/schedules', (_sources, url) => shown(`${url}/api/v1/schedules`)],
  ['GET /readyz', (_sources, url) => shown(`${url}/readyz`)],
  ['page Now', (_sources, url) => shown(`${url}/`)],
  ['page Schedules', (_sources, url) => shown(`${url}/schedules`)],
];

/** How long looks at so many schedules take, each of a route of its own and with a run that ended; and at ten. */
export async function looksAtSchedules(
  folder: string,
  { address, schedules, say }: { address: string; schedules: number; say: (words: string) => void },
): Promise<ScheduleLook[]> {
  // The few come first: Temporal lists the schedules of a whole namespace.
  const few = await timesOf(folder, address, FEW, say);
  const many = await timesOf(folder, address, schedules, say);
  return looksOf.map(([what], at) => ({ what, few: few[at]!, many: many[at]! }));
}

async function timesOf(
  folder: string,
  address: string,
  count: number,
  say: (words: string) => void,
): Promise<number[]> {
  const config = loadConfig(await configure(folder, address, count));
  return await withTemporal(config, async (temporal) => {
    const sources: WriteContext = { config, temporal, store: openStore(config), asker: whoTypes() };
    say(`${count} schedules are applied, and each starts a run`);
    await applySchedules(sources, {});
    await runEach(sources, count);
    const server = await startServer(config, pino({ level: 'silent' }));
    try {
      const times: number[] = [];
      for (const [, look] of looksOf) {
        const rounds: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const begun = performance.now();
          await look(sources, server.url);
          rounds.push(performance.now() - begun);
        }
        times.push(median(rounds));
      }
      return times;
    } finally {
      await server.close();
    }
  });
}

/** Nobody works on these runs: each is terminated, and told as failed. */
async function runEach({ temporal, config }: WriteContext, count: number): Promise<void> {
  const { client } = temporal;
  const ended = new Set<string>();
  const listed = async () => await listSchedules(temporal, config);
  const ids = [...config.schedules.keys()].map((name) => scheduleId(config.temporal.taskQueue, name));
  await mapLimited(ids, CONCURRENCY, (id) => client.schedule.getHandle(id).trigger());
  while (ended.size < count) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const runs = (await listed()).flatMap(({ info }) => info.recentActions);
    const open = runs.map(({ action }) => action.workflow.workflowId).filter((id) => !ended.has(id));
    await mapLimited(open, CONCURRENCY, (id) => client.workflow.getHandle(id).terminate());
    for (const id of open) ended.add(id);
  }
}

async function configure(folder: string, address: string, count: number): Promise<string> {
  const home = path.join(folder, `schedules-${count}`);
  await mkdir(home);
  const portal = (port: number): object => ({
    url: `http://127.0.0.1:${port}/portal/sharing/rest`,
    auth: { type: 'token', token: { env: 'NONE' } },
  });
  const numbers = Array.from({ length: count }, (_, number) => number);
  const group = (letter: string, number: number): string => letter + number.toString(16).padStart(31, '0');
  const route = (number: number): object => ({
    source: { portal: 'here', group: group('a', number) },
    target: { portal: 'there', group: group('b', number) },
  });
  const schedule = (number: number): object => ({
    kind: 'sync',
    route: `group-${number}`,
    cron: `${number % 60} 3 * * *`,
    timezone: 'Europe/Berlin',
  });
  const file = path.join(home, 'portolan.yaml');
  const settings = {
    temporal: { address, taskQueue: `schedules-${count}` },
    store: { type: 'local', path: './store' },
    serve: { address: '127.0.0.1:0', open: true },
    portals: { here: portal(9), there: portal(10) },
    routes: Object.fromEntries(numbers.map((number) => [`group-${number}`, route(number)])) as object,
    schedules: Object.fromEntries(numbers.map((number) => [`night-${number}`, schedule(number)])) as object,
  };
  await writeFile(file, stringify(settings));
  return file;
}
