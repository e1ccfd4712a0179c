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

/** Tells an `up` that whoever started it waits for its word. */
const DETACHED = 'PORTOLAN_UP_DETACHED';
const READY = 'ready';

/** A worker that is told to end gives its transfers half a minute; the server ends behind it. */
const STOP_LIMIT_MS = 60_000;
const LOOK_MS = 100;

/** Says to whoever started this process detached that it is up, and that nothing more will come. */
export function sayReady(): void {
  if (process.env[DETACHED] === undefined) return;
  process.send?.(READY);
  process.disconnect?.();
}

/** The server of this configuration with who runs it, if it is up; `owner` is gone where it was killed. */
export const runningUp = (config: Config): Promise<ServerState | undefined> =>
  readLivingServer(stateFile(config, 'database'));

/** How an `up` of its own process came up. */
export type Detached =
  | { readonly pid: number }
  /** It ended before it was up: with this status, and these words. */
  | { readonly status: number; readonly words: string };

/**
 * Starts `up` with these words as a process of its own, which lives on, and waits until it is up or has ended. It has the
 * variables of this process, secrets among them.
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
 * Ends what `up` left or runs: its worker first, then the server; of one that was killed the server alone.
 * Throws `ADDRESS_IN_USE` where it goes on all the same.
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
