import path from 'node:path';
import type { S3StoreConfig } from '../store/store-config';
import type { Config } from './config';
import type { StoreFile } from './store-schema';
import { Secret } from '../secrets/secret';

/** @param folder folder that relative file names are seen from */
export function compileStore(given: StoreFile, folder: string): Pick<Config, 'store' | 'storeKey'> {
  const encryption = given.encryption && {
    key: new Secret(given.encryption.key, 'store.encryption.key', folder),
  };
  const storeKey = given.key && { secret: new Secret(given.key, 'store.key', folder) };
  switch (given.type) {
    case 'local': {
      const root = path.resolve(folder, given.path);
      return {
        store: { type: given.type, path: root, encryption },
        storeKey: storeKey ?? { file: `${root}.key` },
      };
    }
    case 's3':
      return {
        store: { ...compileS3(given, folder), encryption },
        storeKey: { secret: new Secret(given.key, 'store.key', folder) },
      };
  }
}

function compileS3(given: StoreFile & { type: 's3' }, folder: string): S3StoreConfig {
  const { type, bucket, prefix, endpoint, region, pathStyle, credentials, sse } = given;
  return {
    type,
    bucket,
    prefix,
    endpoint,
    region,
    pathStyle: pathStyle ?? endpoint !== undefined,
    sse,
    credentials: credentials && {
      accessKeyId: new Secret(credentials.accessKeyId, 'store.credentials.accessKeyId', folder),
      secretAccessKey: new Secret(credentials.secretAccessKey, 'store.credentials.secretAccessKey', folder),
    },
  };
}
