import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import type { RunRecord } from '../src/model/run/run';
import { freePorts } from '../src/temporal/dev-server/address';
import { transportGroupId, transportTargetGroupId } from '../src/simulator/seed/transport';
import { builtInUsers } from '../src/simulator/seed/users';
import { Child } from './child';
import type { PortalProcess } from './portal-process';

const program = require.resolve('../src/cli/main');

/**
 * A whole sync of the demo's group, by the commands that people type, between portals whose jobs take
 * `jobMs` each.
 *
 * @returns how long the run took, by its own record. @format milliseconds
 */
export async function runWholeSync(folder: string, jobMs: number): Promise<number> {
  const [source, target] = [
    new Child<PortalProcess>('portal-process'),
    new Child<PortalProcess>('portal-process'),
  ];
  const quick = { jobMs, jobPolls: 0 };
  try {
    const state = (name: string) => path.join(folder, name);
    const [from, to] = await Promise.all([
      source.call('start', {
        ...quick,
        name: 'staging',
        version: '11.2',
        state: state('staging'),
        seed: 'transport',
      }),
      target.call('start', {
        ...quick,
        name: 'production',
        version: '11.4',
        state: state('production'),
        seed: 'transport-target',
      }),
    ]);
    const config = path.join(folder, 'portolan.yaml');
    await writeFile(
      config,
      stringify(
        await configFor(folder, {
          source: { url: from.url, group: transportGroupId },
          target: { url: to.url, group: transportTargetGroupId },
        }),
      ),
    );
    return await besideUp(config, async () => (await syncOnce(config)).ms);
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

/** What stands between two simulated portals of one owner, with a Temporal server and a store in the folder. */
export async function configFor(
  folder: string,
  { source, target }: Readonly<Record<'source' | 'target', { readonly url: string; readonly group: string }>>,
  options: object = {},
) {
  const { username, password } = builtInUsers.owner;
  const secret = path.join(folder, 'secret');
  await writeFile(secret, password, { mode: 0o600 });
  const auth = { type: 'password', username, password: { file: secret } };
  const [port] = await freePorts(1);
  return {
    temporal: { address: `127.0.0.1:${port}`, state: path.join(folder, 'temporal') },
    store: { type: 'local', path: path.join(folder, 'sync-store') },
    portals: { staging: { url: source.url, auth }, production: { url: target.url, auth } },
    routes: {
      transport: {
        source: { portal: 'staging', group: source.group },
        target: { portal: 'production', group: target.group },
        approval: 'none',
        ...options,
      },
    },
  };
}

/** Does something beside a `portolan up`, which ends with it. */
export async function besideUp<T>(config: string, work: () => Promise<T>): Promise<T> {
  const up = spawn(process.execPath, [program, 'up', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(up, 'exit');
  try {
    await saysReady(up.stderr);
    return await work();
  } finally {
    up.kill();
    await ended;
  }
}

/** What one sync took, by its own record. */
export interface Night {
  /** @format milliseconds */
  readonly ms: number;
  /** Of its package. @format bytes */
  readonly bytes: number;
  readonly runId: string;
}

/** Runs one sync beside a `portolan up`. */
export async function syncOnce(config: string): Promise<Night> {
  const command = [program, 'sync', 'transport', '--config', config, '-o', 'json'];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, words] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const record = (output === '' ? {} : JSON.parse(output)) as Partial<RunRecord>;
  const ms = Date.parse(record.finishedAt ?? '') - Date.parse(record.startedAt ?? '');
  if (!Number.isFinite(ms)) throw new Error(`the sync left no times: ${words}`);
  return { ms, bytes: record.package?.sizeBytes ?? 0, runId: record.runId ?? '' };
}

/** Waits until `portolan up` says that it takes work. */
export function saysReady(stream: NodeJS.ReadableStream): Promise<void> {
  let words = '';
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk) => {
      words += String(chunk);
      if (words.includes('ready')) resolve();
    });
    stream.once('end', () => reject(new Error(`portolan up ended early: ${words}`)));
  });
}
