import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { UP_FILE } from '../../temporal/dev-server/up-file';
import { closeToOthers, closeWhereOnly } from '../../secrets/closed-folder';

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
    await closeState(config);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === undefined) throw thrown;
    throw new PortolanError('CONFIG_INVALID', `temporal.state: ${state} cannot be used (${code}).`, {
      hint: 'Choose a folder this account can create and write to.',
    });
  }
}

/** Closes to others the state and the keys beside it, and the folder around them if it holds nothing else. */
async function closeState({
  path: file,
  temporal: { state },
  store,
  storeKey,
  control,
}: Config): Promise<void> {
  const files = Object.values(stateFiles);
  await closeToOthers(state, (name) => files.some((each) => name.startsWith(each)));
  const around = path.dirname(state);
  if (!around.startsWith(path.dirname(file) + path.sep)) return;
  const ours = [
    state,
    store.type === 'local' ? store.path : undefined,
    storeKey.createdFile,
    control.key.createdFile,
  ];
  await closeWhereOnly(around, (name) => ours.includes(path.join(around, name)));
}
