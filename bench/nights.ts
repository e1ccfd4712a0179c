import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { tsToMs } from '@temporalio/common/lib/time';
import { stringify } from 'yaml';
import { loadConfig } from '../src/config/load-config';
import { SeedBuilder, layer } from '../src/simulator/seed/build';
import { emptyGroupId, manyGroupId } from '../src/simulator/seed/seeds';
import { builtInUsers } from '../src/simulator/seed/users';
import { type Simulator, startSimulator } from '../src/simulator/simulator';
import { Portal } from '../src/portal/client';
import { withTemporal } from '../src/temporal/connection';
import { type CurlAccess, curlPages } from './curl';
import { configFor, type Night, saysReady, syncOnce } from './whole-sync';

const SERVICES = 30;
const EDITED = 5;
const EDITED_NIGHTS = 5;
const ROWS_A_SERVICE = 500;
const BACKUPS = 30;
const PAGE = 100;
/** How long an answer is under way between a worker and a portal. @format milliseconds */
const LINE_MS = 50;

/** What a night costs, against the first sync and against two listings. */
export interface Nights {
  readonly items: number;
  readonly first: Cost;
  /** `planMs` is what reading and comparing both sides took. */
  readonly edited: Cost & { readonly planMs: number };
  readonly untouched: { readonly writes: number; readonly ms: number[]; readonly listings: number[] };
  readonly kept: KeptJson;
}

/** What the JSON of items costs in backups of many nights. */
export interface KeptJson {
  readonly nights: number;
  /** @format bytes */
  readonly json: number;
  /** All else that the backups keep. @format bytes */
  readonly rest: number;
}

interface Cost {
  /** Of the package. @format bytes */
  readonly bytes: number;
  /** To both portals. */
  readonly requests: number;
  readonly ms: number;
}

/** What the activity took that reads both sides, compares them and writes the plan. @returns milliseconds */
const planMsOf = (file: string, runId: string): Promise<number> =>
  withTemporal(loadConfig(file), async ({ client }) => {
    const { events } = await client.workflow.getHandle(runId).fetchHistory();
    const planned = events?.find(
      (each) => each.activityTaskScheduledEventAttributes?.activityType?.name === 'readPlan',
    );
    const completed = events?.find(
      ({ activityTaskCompletedEventAttributes: end }) =>
        end && String(end.scheduledEventId) === String(planned?.eventId),
    );
    const id = completed?.activityTaskCompletedEventAttributes?.startedEventId;
    const started = events?.find(({ eventId }) => String(eventId) === String(id));
    if (!completed || !started) throw new Error(`${runId} made no plan`);
    return tsToMs(completed.eventTime) - tsToMs(started.eventTime);
  });

interface NightOptions {
  readonly items: number;
  readonly rounds: number;
  readonly onRound: (round: number) => void;
  readonly onBackup: (night: number) => void;
}

/**
 * A group of `items` items, of which 30 are hosted services, night by night: the first sync, the median of five syncs with
 * five edits before each, `rounds` of nights on which nobody touched anything, each beside two listings by curl, and thirty backups with five
 * edits before each.
 */
export async function runNights(
  folder: string,
  { items, rounds, onRound, onBackup }: NightOptions,
): Promise<Nights> {
  const state = (name: string): string => path.join(folder, 'nights', name);
  await mkdir(state('.'), { recursive: true });
  const common = { version: '11.4', jobPolls: 0, commitLagMs: 0 };
  const seedItems = items - SERVICES;
  const source = await startSimulator({
    ...common,
    name: 'staging',
    state: state('staging'),
    seed: 'many',
    seedItems,
  });
  const target = await startSimulator({
    ...common,
    name: 'production',
    state: state('production'),
    seed: 'empty',
  });
  await addServices(source);
  const ends = {
    source: { url: source.url, group: manyGroupId },
    target: { url: target.url, group: emptyGroupId },
  };
  const config = state('portolan.yaml');
  const options = { overwrite: true, data: 'replace', backup: { full: '7d' } };
  await writeFile(config, stringify(await configFor(state('.'), ends, options)));
  const up = spawn(process.execPath, [require.resolve('../src/cli/main'), 'up', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(up, 'exit');
  const portals = [source, target];
  try {
    await saysReady(up.stderr);
    const night = async (): Promise<Night & { requests: number; writes: number }> => {
      const before = portals.map((portal) => portal.requests().length);
      const run = await syncOnce(config);
      const seen = portals.flatMap((portal, at) => portal.requests().slice(before[at]));
      const writes = seen.filter(({ method, operation }) => method === 'POST' && operation !== 'token');
      return { ...run, requests: seen.length, writes: writes.length };
    };
    const first = await night();
    const nights: Nights['edited'][] = [];
    for (let round = 1; round <= EDITED_NIGHTS; round += 1) {
      for (const { id } of [...source.world.items.values()].slice(0, EDITED))
        source.world.items.change(id, { title: `edited ${round} ${id}`, modified: source.world.now() });
      const edited = await night();
      nights.push({ ...edited, planMs: await planMsOf(config, edited.runId) });
    }
    // One alone is over too soon to measure a tenth of it.
    nights.sort((one, other) => one.planMs / one.ms - other.planMs / other.ms);
    const edited = nights[EDITED_NIGHTS >> 1]!;
    const untouched: { writes: number; ms: number[]; listings: number[] } = {
      writes: 0,
      ms: [],
      listings: [],
    };
    const curls = await Promise.all(portals.map(curlAccess));
    // Loopback has no way to go: over a line an answer takes its time, for us as for curl.
    for (const portal of portals) portal.faults.add({ match: {}, do: { delay: LINE_MS } });
    for (let round = 1; round <= rounds; round += 1) {
      onRound(round);
      const [from, to] = curls as [CurlAccess, CurlAccess];
      const list = async (): Promise<number> =>
        (await curlPages(from, manyGroupId, items, PAGE)) + (await curlPages(to, emptyGroupId, items, PAGE));
      if (round % 2 === 0) untouched.listings.push(await list());
      const quiet = await night();
      untouched.ms.push(quiet.ms);
      untouched.writes += quiet.writes;
      if (round % 2 === 1) untouched.listings.push(await list());
    }
    for (const portal of portals) portal.faults.clear();
    const kept = await keepJson(source, state('.'), config, onBackup);
    return { items, first, edited, untouched, kept };
  } finally {
    up.kill();
    await ended;
    await Promise.all(portals.map((portal) => portal.close()));
  }
}

/** Backs the group up night after night, with edits before each. */
async function keepJson(
  { world }: Simulator,
  folder: string,
  config: string,
  onBackup: (night: number) => void,
): Promise<KeptJson> {
  const ids = [...world.items.values()].map(({ id }) => id);
  for (let night = 1; night <= BACKUPS; night += 1) {
    onBackup(night);
    for (const id of ids.slice(night * EDITED, (night + 1) * EDITED))
      world.items.change(id, { snippet: `edited in night ${night}`, modified: world.now() });
    await backUp(config);
  }
  const kept = path.join(folder, 'sync-store', 'snapshots');
  const files = await readdir(kept, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files
      .filter((each) => each.isFile())
      .map(async ({ parentPath, name }) => ({ name, size: (await stat(path.join(parentPath, name))).size })),
  );
  const sum = (isMeant: (name: string) => boolean): number =>
    sizes.reduce((total, { name, size }) => total + (isMeant(name) ? size : 0), 0);
  const isJson = (name: string): boolean => name.endsWith('.br');
  return {
    nights: BACKUPS,
    json: sum(isJson),
    rest: sum((name) => !isJson(name)),
  };
}

async function backUp(config: string): Promise<void> {
  const command = [require.resolve('../src/cli/main'), 'backup', 'create', 'transport', '--config', config];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  const words = text(child.stderr);
  const [status] = (await once(child, 'exit')) as [number];
  if (status !== 0) throw new Error(`a backup ended with ${status}: ${await words}`);
}

async function addServices({ world }: Simulator): Promise<void> {
  const seed = new SeedBuilder(world);
  for (let number = 1; number <= SERVICES; number += 1) {
    const id = `5${number.toString(16).padStart(31, '0')}`;
    const fields = { id, title: `Layer ${number}`, type: 'Feature Service', groups: [manyGroupId] };
    await seed.hosted(fields, `Layer${number}`, { layers: [layer(0, 'Rows', ROWS_A_SERVICE)], tables: [] });
  }
}

async function curlAccess({ url }: Simulator): Promise<CurlAccess> {
  const { username, password } = builtInUsers.owner;
  const secret = (): Promise<string> => Promise.resolve(password);
  const portal = new Portal({ name: 'simulated', url, auth: { type: 'password', username, secret } });
  try {
    const { value: token } = await portal.signedIn();
    return { url, token, referer: url };
  } finally {
    await portal.close();
  }
}
