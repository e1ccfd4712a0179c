import { readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** In the folder of the state: the `up` that runs on it. */
const UP_FILE = 'up.json';

const address = z.url({ protocol: /^https?$/ }).optional();
const addresses = z.object({
  /** Web UI and API. */
  page: address,
  /** Temporal's Web UI. */
  ui: address,
});
const upFile = addresses.extend({ pid: z.int().positive(), startedAt: z.string() });
type RunningUp = z.infer<typeof upFile>;

/** When a process started, in ticks since boot: two processes with the same ID differ in it. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, can hold anything. State is the first field after it, start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** The `up` that runs on this state. The file of one that was killed does not count. */
export async function readUp(state: string): Promise<RunningUp | undefined> {
  try {
    const up = upFile.parse(JSON.parse(await readFile(path.join(state, UP_FILE), 'utf8')));
    return startOf(up.pid) === up.startedAt ? up : undefined;
  } catch {
    return undefined;
  }
}

/** Announces this process as the `up` of this state. */
export async function writeUp(state: string, known: z.infer<typeof addresses>): Promise<void> {
  const file = path.join(state, UP_FILE);
  const up = { ...known, pid: process.pid, startedAt: startOf(process.pid) };
  await writeFile(`${file}.new`, JSON.stringify(up), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export const removeUp = (state: string): Promise<void> => rm(path.join(state, UP_FILE), { force: true });
