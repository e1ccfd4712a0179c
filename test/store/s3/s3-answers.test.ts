import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Secret } from '../../../src/secrets/secret';
import { PortolanError } from '../../../src/model/errors/errors';
import { PACKAGE_BYTES_MAX } from '../../../src/portal/http/limits';
import type { S3StoreConfig } from '../../../src/store/store';
import { S3Store } from '../../../src/store/s3/s3-store';
import { until } from '../../support/until';
import { bytesOf, content, cutAfter, inPieces } from '../content';
import { type Asked, type Canned, CannedS3, fault } from './canned-s3';

let server: CannedS3 | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const secret = (text: string) => new Secret({ text }).locate('store.credentials', '.');

const storeAt = (endpoint: string, more: Partial<S3StoreConfig> = {}) =>
  new S3Store({
    type: 's3',
    bucket: 'our-backups',
    prefix: 'nightly/',
    endpoint,
    credentials: { accessKeyId: secret('planted-id'), secretAccessKey: secret('planted-secret') },
    ...more,
  });

async function answering(answer: Canned | ((asked: Asked) => Canned | Promise<Canned>)) {
  server = await CannedS3.start(typeof answer === 'function' ? answer : () => answer);
  return storeAt(server.endpoint);
}

const errorOf = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (thrown) {
    expect(inspect(thrown, { depth: null })).not.toContain('planted');
    return PortolanError.from(thrown);
  }
  throw new Error('nothing was thrown');
};

describe('an error of a bucket', () => {
  const of = 'a/b.json in BUCKET';
  it.each([
    [403, 'AccessDenied', 'STORE_DENIED', `s3:PutObject is denied for ${of} (AccessDenied, status 403)`],
    [
      ...[403, 'SignatureDoesNotMatch', 'STORE_DENIED'],
      `s3:PutObject is denied for ${of} (SignatureDoesNotMatch, status 403)`,
    ],
    [
      ...[403, 'RequestTimeTooSkewed', 'STORE_DENIED'],
      'the clocks of BUCKET and this machine differ (RequestTimeTooSkewed, status 403)',
    ],
    [404, 'NoSuchBucket', 'STORE_MISSING', 'BUCKET does not exist'],
    [301, 'PermanentRedirect', 'STORE_BROKEN', 'BUCKET is in another region (PermanentRedirect, status 301)'],
    [503, 'SlowDown', 'STORE_UNREACHABLE', `no response to s3:PutObject from ${of} (SlowDown, status 503)`],
    [400, 'InvalidArgument', 'STORE_BROKEN', `s3:PutObject failed for ${of} (InvalidArgument, status 400)`],
  ] as [number, string, string, string][])(
    'says in plain words, without what was signed: %d %s is %s',
    async (status, code, expected, message) => {
      const store = await answering(fault(status, code));
      const error = await errorOf(store.writeJson('a/b.json', {}));
      const bucket = `the bucket our-backups at ${server!.endpoint}`;
      expect([error.code, error.plainMessage]).toEqual([expected, message.replace('BUCKET', bucket)]);
    },
  );

  it('says that no server responds', async () => {
    const store = await answering({ status: 200 });
    const { endpoint } = server!;
    await server!.stop();
    const error = await errorOf(store.writeJson('a/b.json', {}));
    expect([error.code, error.meaning.kind]).toEqual(['STORE_UNREACHABLE', 'transient']);
    expect(error.plainMessage).toContain(
      `no response to s3:PutObject from a/b.json in the bucket our-backups at ${endpoint} (`,
    );
  });

  it.each<[string, string, (store: S3Store) => Promise<unknown>]>([
    ['PUT', 's3:PutObject', (store) => store.check()],
    ['GET', 's3:GetObject', (store) => store.readJson('a.json', z.unknown())],
    ['DELETE', 's3:DeleteObject', (store) => store.remove('a.json')],
  ])('names the missing right of %s: %s', async (method, right, work) => {
    const store = await answering((asked) => {
      if (asked.method === method) return fault(403, 'AccessDenied');
      return asked.url.includes('uploads') ? { status: 200, body: '<R></R>' } : fault(404, 'NoSuchKey');
    });
    expect((await errorOf(work(store))).plainMessage).toMatch(new RegExp(`^${right} `));
  });

  it('tells a missing bucket from a missing file', async () => {
    const store = await answering({ status: 404 });
    const error = await errorOf(store.openFile('packages/a.epk'));
    expect(error.code).toBe('STORE_MISSING');
    await server!.stop();
    const other = await answering(({ url }) => ({ status: url.includes('a.epk') ? 404 : 200 }));
    expect(await other.openFile('packages/a.epk')).toBeUndefined();
  });

  it('names the file that was not deleted', async () => {
    const listing = '<ListBucketResult><Contents><Key>nightly/a/1</Key></Contents></ListBucketResult>';
    const refused =
      '<DeleteResult><Error><Key>nightly/a/1</Key><Code>AccessDenied</Code><Message>planted</Message></Error></DeleteResult>';
    const store = await answering(({ method }) => ({
      status: 200,
      body: method === 'POST' ? refused : listing,
    }));
    const error = await errorOf(store.remove('a/'));
    expect(error.code).toBe('STORE_DENIED');
    expect(error.plainMessage).toMatch(/^s3:DeleteObject is denied for a\/1 in the bucket our-backups/);
  });

  it('is none if uploads of others may not be listed', async () => {
    const store = await answering(({ url }) =>
      url.includes('uploads') ? fault(403, 'AccessDenied') : { status: 200 },
    );
    const partial = await store.openPartial('packages/a.epk');
    await partial.append(inPieces(content(10)));
    await partial.commit();
    expect(server!.asked.at(-1)).toMatchObject({ method: 'PUT' });
  });
});

describe('an upload into a bucket', () => {
  const MB = 1024 ** 2;
  const partOf = (url: string) => Number(/partNumber=(\d+)/.exec(url)?.[1] ?? 0);
  /** A bucket that takes uploads, but for what this answers. */
  const bucket =
    (answer: (asked: Asked) => Canned | Promise<Canned> | undefined = () => undefined) =>
    (asked: Asked) =>
      answer(asked) ??
      (asked.method === 'DELETE'
        ? { status: 204 }
        : { status: 200, headers: { etag: '"e"' }, body: '<R><UploadId>u1</UploadId><ETag>e</ETag></R>' });
  const begin = async (answer?: Parameters<typeof bucket>[0]) =>
    await (await answering(bucket(answer))).openPartial('packages/a.epk');
  const askedOf = (method: string) =>
    server!.asked.filter((asked) => asked.method === method).map(({ url }) => url);
  /** Counts what is taken of it. */
  const counted = (length: number) => {
    const bytes = { taken: 0 };
    async function* pieces(): AsyncGenerator<Buffer> {
      for (const piece = content(256 * 1024); bytes.taken < length; bytes.taken += piece.length) {
        await new Promise(setImmediate);
        yield piece;
      }
    }
    return { bytes, source: pieces() };
  };

  it('ends earlier uploads of its file, and no other', async () => {
    const uploads = ['a.epk', 'a.epk2', 'a.epk/b'].map(
      (name) => `<Upload><Key>nightly/packages/${name}</Key><UploadId>of-${name}</UploadId></Upload>`,
    );
    const store = await answering(
      bucket(({ url }) =>
        url.includes('uploads') ? { status: 200, body: `<R>${uploads.join('')}</R>` } : undefined,
      ),
    );
    expect((await store.openPartial('packages/a.epk')).size).toBe(0);
    expect(askedOf('DELETE')).toEqual([expect.stringMatching(/packages\/a\.epk\?.*uploadId=of-a\.epk(&|$)/)]);
    await store.remove('packages/a.epk');
    expect(askedOf('DELETE')).toHaveLength(3);
  });

  it('does not begin while the bucket does not respond', async () => {
    const begun = begin(({ url }) => (url.includes('uploads') ? fault(503, 'SlowDown') : undefined));
    expect((await errorOf(begun)).code).toBe('STORE_UNREACHABLE');
  });

  it('sends parts of bounded memory, and fewer than 10,000 of them', async () => {
    const sizes: number[] = [];
    const isHeld: ((canned: Canned) => void)[] = [];
    const partial = await begin(({ url, headers }) => {
      if (partOf(url) === 0) return undefined;
      sizes[partOf(url) - 1] = Number(headers['content-length']);
      return new Promise((resolve) => isHeld.push(resolve));
    });
    const { bytes, source } = counted(40 * MB);
    const appended = partial.append(source);
    await until('its source to rest', async () => {
      const before = bytes.taken;
      for (let turns = 0; turns < 1_000; turns += 1) await new Promise(setImmediate);
      return isHeld.length > 1 && bytes.taken === before;
    });
    // The relay holds one part of 32 MB besides, and what is copied is not yet collected.
    expect(bytes.taken).toBeGreaterThan(2 * sizes[0]!);
    expect(bytes.taken).toBeLessThan(20 * MB);
    const release = setInterval(
      () => isHeld.splice(0).forEach((go) => go({ status: 200, headers: { etag: '"e"' } })),
      10,
    );
    await appended;
    await partial.commit();
    clearInterval(release);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(40 * MB);
    expect(new Set(sizes.slice(0, -1)).size).toBe(1);
    expect(sizes[0]).toBeGreaterThanOrEqual(5 * MB);
    expect((5 * 1024 * MB) / sizes[0]!).toBeLessThan(10_000);
    expect(PACKAGE_BYTES_MAX / sizes[0]!).toBeLessThan(10_000);
  });

  it('is refused for good over 10,000 parts', async () => {
    const partial = await begin();
    Object.assign(partial, { size: 10_000 * 5 * MB - 10 });
    await partial.append(inPieces(content(10)));
    const error = await errorOf(partial.append(inPieces(content(1))));
    expect(error.plainMessage).toBe(
      `packages/a.epk is larger than the 52428800000 bytes that can be uploaded to the bucket our-backups at ${server!.endpoint}`,
    );
    expect([error.code, error.meaning.kind]).toEqual(['NO_SPACE', 'permanent']);
    await partial.close();
    expect(askedOf('PUT')).toEqual([]);
  });

  it('continues in one upload after its source broke', async () => {
    const partial = await begin();
    const bytes = content(40 * MB);
    for (const cut of [100, 9 * MB, 30 * MB])
      await expect(partial.append(cutAfter(bytes.subarray(partial.size, cut)))).rejects.toThrow('broke');
    await partial.append(inPieces(bytes.subarray(partial.size)));
    await partial.commit();
    expect(askedOf('POST').filter((url) => url.includes('uploads'))).toHaveLength(1);
    expect(askedOf('POST').filter((url) => url.includes('uploadId'))).toHaveLength(1);
    expect(
      askedOf('PUT')
        .map(partOf)
        .sort((a, b) => a - b),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(askedOf('DELETE')).toEqual([]);
  });

  it.each([
    [400, 'InvalidRequest', 'STORE_BROKEN', 204],
    [503, 'SlowDown', 'STORE_UNREACHABLE', 204],
    // An account that may not abort still learns what failed.
    [400, 'InvalidRequest', 'STORE_BROKEN', 403],
  ])('fails at once by %d %s with %s, and aborts its parts (%d)', async (status, code, expected, aborted) => {
    let underWay = 0;
    let atAbort: number | undefined;
    const partial = await begin(async ({ method, url }) => {
      if (method === 'DELETE') {
        atAbort = underWay;
        return aborted === 204 ? { status: 204 } : fault(aborted, 'AccessDenied');
      }
      if (partOf(url) === 0) return { status: 200, body: '<R><UploadId>u1</UploadId></R>' };
      underWay += 1;
      await sleep(partOf(url) === 2 ? 10 : 300);
      underWay -= 1;
      return partOf(url) === 2 ? fault(status, code) : { status: 200, headers: { etag: '"e"' } };
    });
    const { bytes, source } = counted(4096 * MB);
    expect((await errorOf(partial.append(source))).code).toBe(expected);
    expect(bytes.taken).toBeLessThan(1024 * MB);
    expect(askedOf('DELETE')).toEqual([expect.stringContaining('uploadId=u1')]);
    // A part that arrives after the abort would stay.
    expect(atAbort).toBe(0);
    expect((await errorOf(partial.append(inPieces(content(10))))).code).toBe(expected);
    await partial.close();
    expect(askedOf('DELETE')).toHaveLength(1);
  });

  it.each(['close', 'restart'] as const)('leaves no part after %s', async (end) => {
    const partial = await begin();
    await partial.append(inPieces(content(20 * MB)));
    await partial[end]();
    expect(askedOf('DELETE')).toEqual([expect.stringContaining('uploadId=u1')]);
    if (end === 'close') return;
    await partial.append(inPieces(content(5)));
    await partial.commit();
    expect(askedOf('PUT').at(-1)).not.toContain('partNumber');
    await partial.close();
    expect(askedOf('DELETE')).toHaveLength(1);
  });
});

it('a file in a bucket has the prefix in its address, and a checksum', async () => {
  const store = await answering({ status: 200 });
  await store.writeJson('runs/a b:c/record.json', {});
  expect(server!.asked).toHaveLength(1);
  expect(server!.asked[0]).toMatchObject({
    method: 'PUT',
    url: expect.stringMatching(/^\/our-backups\/nightly\/runs\/a%20b%3Ac\/record\.json(\?|$)/),
    headers: expect.objectContaining({ 'x-amz-checksum-crc32': expect.any(String) }),
  });
});

describe('a read from a bucket', () => {
  const bytes = content(2 * 1024 ** 2);
  /** Serves ranges, and breaks each of the first answers after so many bytes. */
  const flaky = (...cuts: number[]) => {
    const left = [...cuts];
    return ({ method, headers }: Asked): Canned => {
      const [, from = '0', to = String(bytes.length - 1)] =
        /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
      if (method === 'HEAD')
        return { status: 200, headers: { etag: '"v1"', 'content-length': String(bytes.length) } };
      const body = bytes.subarray(Number(from), Number(to) + 1);
      return { status: 206, headers: { etag: '"v1"' }, body, cutAfter: left.shift() };
    };
  };
  const opened = async (answer: (asked: Asked) => Canned) =>
    (await (await answering(answer)).openFile('packages/a.epk'))!;

  it('continues after a lost connection', async () => {
    const file = await opened(flaky(700_000, 0, 500_000));
    expect((await bytesOf(file.open(1000, 2_000_000))).equals(bytes.subarray(1000, 2_000_000))).toBe(true);
    const reads = server!.asked.filter(({ method }) => method === 'GET');
    expect(reads).toHaveLength(4);
    expect(new Set(reads.map(({ headers }) => headers['if-match']))).toEqual(new Set(['"v1"']));
  });

  it('ends with STORE_UNREACHABLE if nothing more comes', async () => {
    const file = await opened(flaky(10, 0, 0, 0, 0, 0, 0, 0));
    const error = await errorOf(bytesOf(file.open(0, bytes.length)));
    expect(error.code).toBe('STORE_UNREACHABLE');
  });

  it('never mixes two versions of a file', async () => {
    let reads = 0;
    const serve = flaky(700_000);
    const file = await opened((asked) =>
      asked.method === 'GET' && ++reads > 1 ? fault(412, 'PreconditionFailed') : serve(asked),
    );
    const error = await errorOf(bytesOf(file.open(0, bytes.length)));
    expect(error.code).toBe('STORE_BROKEN');
    expect(error.plainMessage).toContain('PreconditionFailed');
  });
});
