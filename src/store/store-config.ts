import type { Secret } from '../secrets/secret';

/** `store:` of portolan.yaml. */
export type StoreConfig = LocalStoreConfig | S3StoreConfig;

export interface LocalStoreConfig extends AnyStoreConfig {
  readonly type: 'local';
  /** Folder; relative ones are relative to the configuration file and made absolute when it is read. */
  readonly path: string;
}

export interface S3StoreConfig extends AnyStoreConfig {
  readonly type: 's3';
  readonly bucket: string;
  /** Prefix of every key: empty, or ending in a slash. */
  readonly prefix: string;
  /** Base URL of a server that is not Amazon's. */
  readonly endpoint?: string;
  /** @default what AWS's own settings say, else `us-east-1` where there is an endpoint */
  readonly region?: string;
  /** @default AWS's own chain: environment, profiles, the machine's role */
  readonly credentials?: { readonly accessKeyId: Secret; readonly secretAccessKey: Secret };
}

interface AnyStoreConfig {
  /** Client-side encryption. */
  readonly encryption?: { readonly key: Secret };
}
