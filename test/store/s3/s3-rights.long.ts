import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config';
import { PortolanError } from '../../../src/model/errors/errors';
import { openStore } from '../../../src/store/open-store';
import { keysUnder, type Store, writeFile } from '../../../src/store/store';
import { content, inPieces, same, storedBytes } from '../content';
import { type S3Account, serverOfSuite } from './s3-server';
import { s3Site } from './s3-site';

const server = serverOfSuite();

describe('an account of a bucket', () => {
  const storeOf = async (bucket: string, account?: S3Account) => {
    const { config } = await s3Site(server(), { bucket, account });
    return openStore(loadConfig(config));
  };
  const problem = async (store: Store) => {
    const thrown = await store.check().catch((error: unknown) => error);
    return thrown === undefined ? 'none' : PortolanError.from(thrown).message.replace(/(check\/)\w+/, '$1…');
  };

  it('is refused if it is unknown', async () => {
    const bucket = await server().makeBucket();
    const stranger = { accessKeyId: 'stranger', secretAccessKey: 'guessed' };
    expect(await problem(await storeOf(bucket, stranger))).toBe(
      `[STORE_DENIED] s3:GetObject is denied for encryption.json in the bucket ${bucket} at ${server().endpoint} (InvalidAccessKeyId, status 403)`,
    );
  });

  it.each([
    [[], 's3:GetObject is denied for encryption.json'],
    [['s3:GetObject', 's3:ListBucket'], 's3:PutObject is denied for check/….json'],
    [['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], 's3:ListBucket is denied for check/'],
    [['s3:GetObject', 's3:PutObject', 's3:ListBucket'], 's3:DeleteObject is denied for check/….json'],
  ])('with %j learns what is missing', async (rights, denied) => {
    const bucket = await server().makeBucket();
    const account = await server().makeAccount(bucket, ...rights);
    expect(await problem(await storeOf(bucket, account))).toBe(
      `[STORE_DENIED] ${denied} in the bucket ${bucket} at ${server().endpoint} (AccessDenied, status 403)`,
    );
  });

  it('needs four rights', async () => {
    const bucket = await server().makeBucket();
    const rights = ['s3:GetObject', 's3:PutObject', 's3:ListBucket', 's3:DeleteObject'];
    const store = await storeOf(bucket, await server().makeAccount(bucket, ...rights));
    expect(await problem(store)).toBe('none');
    const bytes = content(9 * 1024 ** 2);
    await writeFile(store, 'packages/a.epk', inPieces(bytes));
    expect(same((await storedBytes(store, 'packages/a.epk'))!, bytes)).toBe(true);
    await store.remove('packages/');
  });

  it('learns that its bucket does not exist', async () => {
    expect(await problem(await storeOf('nobody-made-this'))).toBe(
      `[STORE_MISSING] the bucket nobody-made-this at ${server().endpoint} does not exist`,
    );
  });

  it('lists and removes more than one page', async () => {
    const store = await storeOf(await server().makeBucket());
    const names = Array.from({ length: 1_050 }, (_, index) => `many/${String(index).padStart(5, '0')}.json`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((name) => store.writeJson(name, {})));
    }
    expect(await keysUnder(store, 'many/')).toEqual(names);
    await store.remove('many/');
    expect(await keysUnder(store, '')).toEqual([]);
  });
});
