import { readKey } from '../secrets/key-source';
import type { Secret } from '../secrets/secret';
import { AuthenticStore } from './authentic/authentic-store';
import { EncryptedStore } from './encrypted/encrypted-store';
import { LocalStore } from './local/local-store';
import { S3Store } from './s3/s3-store';
import type { Store } from './store';
import type { StoreConfig } from './store-config';

/** A store and the key that authenticates its content. */
export interface StoreAndKey {
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
