import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { aConfig, problemsOf as problemsOfConfig } from '../support/config';
import { aFolder } from '../support/folder';

const folder = aFolder();
const withStore = (store: string) => `portals: {}\nstore: ${store}\n`;
const load = (store: string) => aConfig(withStore(store), folder);
const problemsOf = (store: string) => problemsOfConfig(withStore(store));

describe('a configured store', () => {
  it('is a folder by default', () => {
    expect(load('{ path: ./packages }')).toMatchObject({
      store: { type: 'local', path: path.join(folder, 'packages') },
      storeKey: { createdFile: path.join(folder, 'packages.key') },
    });
  });

  it('is an Amazon bucket by default', () => {
    expect(load('{ type: s3, bucket: our-backups, key: { env: K } }').store).toEqual({
      type: 's3',
      bucket: 'our-backups',
      prefix: '',
      insecure: false,
    });
  });

  it('is a bucket of another server, with unread secrets', () => {
    const { store, storeKey } = load(`
  type: s3
  bucket: our-backups
  prefix: /portolan/nightly
  endpoint: https://s3.example.com:9000/
  region: eu-central-1
  credentials: { accessKeyId: { env: A }, secretAccessKey: { file: ./secret } }
  key: { env: K }
  encryption: { key: { command: [print-key] } }`);
    expect(store).toMatchObject({
      prefix: 'portolan/nightly/',
      endpoint: 'https://s3.example.com:9000',
      region: 'eu-central-1',
    });
    expect(inspect([store, storeKey])).not.toContain('print-key');
  });

  it('needs a key when it is a bucket', () => {
    expect(problemsOf('{ type: s3, bucket: our-backups }')).toBe(
      'FILE has 1 problem:\n  store.key: is missing',
    );
  });

  it('is refused with all problems', () => {
    expect(
      problemsOf(`
  type: s3
  bucket: Our_Backups
  endpoint: https://me:planted@s3.example.com
  credentials: { accessKeyId: planted, secretAccessKey: { env: S } }
  path: ./var/store
  key: { env: K }
  encryption: {}`),
    ).toBe(`FILE has 5 problems:
  store.bucket: is not the name of a bucket: 3 to 63 of a-z, 0-9, . and -
  store.endpoint: must not hold a user name or password; set store.credentials
  store.credentials.accessKeyId: do not write the secret itself here; write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }
  store.encryption.key: is missing
  store.path: unknown setting`);
  });

  it('is unencrypted only on request', () => {
    const plain = (more: string) =>
      `{ type: s3, bucket: our-backups, key: { env: K }, endpoint: "http://s3.example.com"${more} }`;
    expect(problemsOf(plain(''))).toBe(
      'FILE has 1 problem:\n  store.endpoint: would send stored data unencrypted; use https, or set store.insecure: true',
    );
    expect(() => load(plain(', insecure: true'))).not.toThrow();
  });
});
