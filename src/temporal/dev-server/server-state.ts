import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { childEnvironment } from './child-environment';

/** A process id is used again after a while; together with start time and command line it means one process only. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time and command line as the system tells them. */
  readonly mark: string;
}

const fromProc = (pid: number): string | undefined => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may hold anything; state is the 1st field after it, start time the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return undefined;
  return `${fields[19]} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`;
};

const fromPs = (pid: number): string | undefined =>
  execFileSync('ps', ['-ww', '-o', 'lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    env: childEnvironment('look'),
  }).trim() || undefined;

/** Who runs under this id now; `undefined` where nobody does. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    const mark = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
    return mark === undefined ? undefined : { pid, mark };
  } catch {
    return undefined;
  }
}

export const isAlive = (who: ProcessIdentity): boolean => identify(who.pid)?.mark === who.mark;

/** Sends a signal, to the whole group with a negative id; a process that is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export const identity = z.object({ pid: z.int().positive(), mark: z.string() });

/** Who runs a Temporal server on a database: written beside the database, so that a later start finds its orphan. */
const serverState = z.object({
  server: identity,
  owner: identity,
  port: z.int(),
  /** Where its Web UI itself listens. */
  ui: z.object({ host: z.string(), port: z.int() }).optional(),
  /** What it was started with; earlier versions did not write it. */
  arguments: z.array(z.string()).optional(),
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

export async function writeServerState(database: string, state: ServerState): Promise<void> {
  const file = stateFileOf(database);
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export const removeServerState = (database: string): Promise<void> =>
  rm(stateFileOf(database), { force: true });
