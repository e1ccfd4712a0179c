import { readKey, type Secret } from '../secrets/secret';
import { AuthenticStore } from './authentic/authentic-store';
import { EncryptedStore } from './encrypted/encrypted-store';
import { LocalStore } from './local/local-store';
import { S3Store } from './s3/s3-store';
import type { Store, StoreConfig } from './store';
import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A store and the key that authenticates its content. */
interface StoreAndKey {
  readonly store: StoreConfig;
  readonly storeKey: Secret;
}

export const openStore = ({ store, storeKey }: StoreAndKey): Store =>
  new AuthenticStore(openReadable(store), () => readKey(storeKey, 'key of the store'));

function openReadable(config: StoreConfig): Store {
  const store = openPlain(config);
  const { encryption } = config;
  if (encryption === undefined) return store;
  return new EncryptedStore(store, () => readKey(encryption.key, "key of the store's encryption"));
}

function openPlain(config: StoreConfig): Store {
  switch (config.type) {
    case 'local':
      return new LocalStore(config.path);
    case 's3':
      return new S3Store(config);
  }
}

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
