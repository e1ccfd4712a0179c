import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import type { Config } from '../../config/config';
import { openState, stateFile } from './up-state';

/** Environment variable that makes `up` report to its parent process. */
const DETACHED = 'PORTOLAN_UP_DETACHED';
const READY = 'ready';

/** Tells the parent process that `up` is ready and that no more output follows. */
export function sayReady(): void {
  if (process.env[DETACHED] === undefined) return;
  process.send?.(READY);
  process.disconnect?.();
}

/** An `up` that exited before it was ready. */
export interface FailedStart {
  readonly status: number;
  /** What it printed. */
  readonly text: string;
}

/**
 * Starts `up` with these options as a process that outlives this one, and waits until it is ready or has exited.
 * It inherits the environment of this process, including secrets.
 */
export async function startDetached(
  config: Config,
  options: readonly string[],
): Promise<FailedStart | undefined> {
  const log = stateFile(config, 'upLog');
  await openState(config);
  const file = openSync(log, 'a', 0o600);
  const { size } = statSync(log);
  const [, starter = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, starter, 'up', ...options], {
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
