import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StoreConfig } from './store-config';

const WITHIN_MS = 5_000;

/**
 * What a store's own clock says: that of the file system where a folder lies, or of the server of a bucket, which tells it
 * to anybody. Undefined where it does not tell. @returns milliseconds since 1970
 */
export async function storeClock(config: StoreConfig): Promise<number | undefined> {
  try {
    return config.type === 'local' ? await folderClock(config.path) : await serverClock(addressOf(config));
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

const addressOf = ({ endpoint, region }: Extract<StoreConfig, { type: 's3' }>): string =>
  endpoint ?? `https://s3.${region ?? process.env['AWS_REGION'] ?? 'us-east-1'}.amazonaws.com`;

/** By the header of an answer, whatever it answers. */
async function serverClock(address: string): Promise<number | undefined> {
  const answer = await fetch(address, {
    ...{ method: 'HEAD', redirect: 'manual' },
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  const at = Date.parse(answer.headers.get('date') ?? '');
  return Number.isNaN(at) ? undefined : at;
}
