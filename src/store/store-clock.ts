import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StoreConfig } from './store-config';

const WITHIN_MS = 5_000;

/**
 * The store's own clock: of the file system or the bucket's server. Undefined if it reports none.
 * @returns milliseconds since 1970
 */
export async function storeClock(config: StoreConfig): Promise<number | undefined> {
  try {
    if (config.type === 'local') return await folderClock(config.path);
    const { bucketClock } = await import('./s3/s3-connection.js');
    return await bucketClock(config, WITHIN_MS);
  } catch {
    return undefined;
  }
}

async function folderClock(folder: string): Promise<number> {
  const file = path.join(folder, `check.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    return (await stat(file)).mtimeMs;
  } finally {
    await rm(file, { force: true });
  }
}
