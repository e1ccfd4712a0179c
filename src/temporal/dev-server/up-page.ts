import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { identify, identity, isAlive } from './server-state';

/** File in the state folder with the web UI address of `up`. */
export const PAGE_FILE = 'page.json';

const upPage = z.object({ owner: identity, url: z.url({ protocol: /^https?$/ }) });

const fileIn = (state: string): string => path.join(state, PAGE_FILE);

/**
 * Saves the web UI address of this process for other commands.
 * @param state folder of the state
 * @param url `http://127.0.0.1:8350`
 */
export async function writeUpPage(state: string, url: string): Promise<void> {
  const owner = identify(process.pid);
  if (owner) await writeFile(fileIn(state), JSON.stringify({ owner, url }), { mode: 0o600 });
}

/** The address, while the `up` that saved it is running. */
export async function readUpPage(state: string): Promise<string | undefined> {
  const text = await readFile(fileIn(state), 'utf8').catch(() => '');
  try {
    const { owner, url } = upPage.parse(JSON.parse(text));
    return isAlive(owner) ? url : undefined;
  } catch {
    return undefined;
  }
}

export const removeUpPage = (state: string): Promise<void> => rm(fileIn(state), { force: true });
