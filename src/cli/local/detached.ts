import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { adoptServer } from '../../temporal/dev-server/server-process';
import {
  isAlive,
  readLivingServer,
  type ServerState,
  signalProcess,
} from '../../temporal/dev-server/server-state';
import { openState, stateFile } from './up-state';

/** Environment variable that makes `up` report to its parent process. */
const DETACHED = 'PORTOLAN_UP_DETACHED';
const READY = 'ready';

/** Time to stop: transfers get half a minute, then the server stops. */
const STOP_LIMIT_MS = 60_000;
const LOOK_MS = 100;

/** Tells the parent process that `up` is ready and that no more output follows. */
export function sayReady(): void {
  if (process.env[DETACHED] === undefined) return;
  process.send?.(READY);
  process.disconnect?.();
}

/** The running server of this configuration and its owner; `owner` is undefined if that process was killed. */
export const runningUp = (config: Config): Promise<ServerState | undefined> =>
  readLivingServer(stateFile(config, 'database'));

/** The result of a detached `up`. */
export type Detached =
  | { readonly pid: number }
  /** It exited before it was ready, with this status and output. */
  | { readonly status: number; readonly words: string };

/**
 * Starts `up` with these arguments as a process that outlives this one, and waits until it is ready or has exited.
 * It inherits the environment of this process, including secrets.
 */
export async function startDetached(config: Config, words: readonly string[]): Promise<Detached> {
  const log = stateFile(config, 'upLog');
  await openState(config);
  const file = openSync(log, 'a', 0o600);
  const { size } = statSync(log);
  const [, starter = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, starter, 'up', ...words], {
    detached: true,
    env: { ...process.env, [DETACHED]: '1' },
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  const started = await new Promise<Detached>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', () => resolve({ pid: child.pid ?? 0 }));
    child.once('exit', (status) =>
      resolve({ status: status ?? 1, words: readFileSync(log).subarray(size).toString() }),
    );
  });
  if (child.connected) child.disconnect();
  child.unref();
  return started;
}

/**
 * Stops the worker and then the server of `up`; if `up` was killed, only its server. Throws `ADDRESS_IN_USE` if it
 * does not stop.
 */
export async function endUp(up: ServerState): Promise<void> {
  const { owner } = up;
  if (!isAlive(owner)) return await adoptServer(up.server).stop();
  signalProcess(owner.pid, 'SIGTERM');
  for (const deadline = Date.now() + STOP_LIMIT_MS; isAlive(owner); await sleep(LOOK_MS)) {
    if (Date.now() > deadline)
      throw new PortolanError(
        'ADDRESS_IN_USE',
        `Process ${owner.pid} was asked to stop but has not stopped within ${STOP_LIMIT_MS / 1000} s.`,
        { hint: `A second signal stops it at once: kill ${owner.pid}` },
      );
  }
}
