import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { UP_FILE } from '../../temporal/dev-server/up-file';

/** Files that `up` keeps in `temporal.state`. */
export const stateFiles = {
  database: 'temporal.sqlite',
  serverLog: 'temporal.log',
  workerLog: 'worker.log',
  /** Log of a detached `up`. */
  upLog: 'up.log',
  up: UP_FILE,
} as const;

export const stateFile = ({ temporal: { state } }: Config, name: keyof typeof stateFiles): string =>
  path.join(state, stateFiles[name]);

/** Creates the state folder, readable only by its owner. Throws `CONFIG_INVALID` if that fails. */
export async function openState(config: Config): Promise<void> {
  const { state } = config.temporal;
  try {
    await mkdir(state, { recursive: true, mode: 0o700 });
    // The folder may have been there.
    await chmod(state, 0o700);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === undefined) throw thrown;
    throw new PortolanError('CONFIG_INVALID', `temporal.state: ${state} cannot be used (${code}).`, {
      hint: 'Choose a folder this account can create and write to.',
    });
  }
}
