import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { type RunningUp, readUp } from '../../temporal/dev-server/up-file';
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

/** An `up` that ended before it was up. */
export interface FailedStart {
  readonly status: number;
  /** What it printed. */
  readonly text: string;
}

/**
 * Starts `up` with these words as a process of its own, which lives on, and waits until it is up or has ended. It has the
 * variables of this process, secrets among them.
 */
export async function startDetached(
  config: Config,
  words: readonly string[],
): Promise<FailedStart | undefined> {
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
  const failed = await new Promise<FailedStart | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', () => resolve(undefined));
    child.once('exit', (status) =>
      resolve({ status: status ?? 1, text: readFileSync(log).subarray(size).toString() }),
    );
  });
  if (child.connected) child.disconnect();
  child.unref();
  return failed;
}

/** Ends an `up`: its worker, then the server. Throws `ADDRESS_IN_USE` if it does not end. */
export async function endUp(state: string, { pid }: RunningUp): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (
    const deadline = Date.now() + STOP_LIMIT_MS;
    (await readUp(state))?.pid === pid;
    await sleep(LOOK_MS)
  ) {
    if (Date.now() > deadline)
      throw new PortolanError(
        'ADDRESS_IN_USE',
        `Process ${pid} was asked to stop but has not stopped within ${STOP_LIMIT_MS / 1000} s.`,
        { hint: `A second signal stops it at once: kill ${pid}` },
      );
  }
}
