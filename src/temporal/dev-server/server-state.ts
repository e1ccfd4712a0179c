import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ProcessIdentity, isAlive } from './process-identity';

const identity = z.object({ pid: z.int().positive(), mark: z.string() });

/** Who runs a Temporal server on a database: written beside the database, so that a later start finds its orphan. */
const serverState = z.object({
  server: identity,
  owner: identity,
  port: z.int(),
  uiPort: z.int().optional(),
});

export type ServerState = z.infer<typeof serverState>;

export const stateFileOf = (database: string): string => `${database}.server.json`;

/** The state as it was written last, if the server that it names still runs. */
export async function readLivingServer(database: string): Promise<ServerState | undefined> {
  const text = await readFile(stateFileOf(database), 'utf8').catch(() => '');
  let state;
  try {
    state = serverState.safeParse(JSON.parse(text));
  } catch {
    return undefined;
  }
  return state.success && isAlive(state.data.server) ? state.data : undefined;
}

export async function writeServerState(
  database: string,
  state: { server: ProcessIdentity; owner: ProcessIdentity; port: number; uiPort?: number },
): Promise<void> {
  const file = stateFileOf(database);
  await writeFile(`${file}.new`, JSON.stringify(state));
  await rename(`${file}.new`, file);
}

export const removeServerState = (database: string): Promise<void> =>
  rm(stateFileOf(database), { force: true });
