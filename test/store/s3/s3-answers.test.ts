import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Secret } from '../../../src/secrets/secret';
import { PortolanError } from '../../../src/model/errors/errors';
import type { S3StoreConfig } from '../../../src/store/store-config';
import { S3Store } from '../../../src/store/s3/s3-store';
import { bytesOf, content, inPieces } from '../content';
import { type Asked, type Canned, CannedS3, fault } from './canned-s3';

let server: CannedS3 | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const secret = (text: string): Secret => new Secret({ text }, 'store.credentials', '.');

const storeAt = (endpoint: string, more: Partial<S3StoreConfig> = {}): S3Store =>
  new S3Store({
    type: 's3',
    bucket: 'our-backups',
    prefix: 'nightly/',
    endpoint,
    credentials: { accessKeyId: secret('planted-id'), secretAccessKey: secret('planted-secret') },
    ...more,
  });

async function answering(answer: Canned | ((asked: Asked) => Canned)): Promise<S3Store> {
  server = await CannedS3.start(typeof answer === 'function' ? answer : () => answer);
  return storeAt(server.endpoint);
}

const errorOf = async (work: Promise<unknown>): Promise<PortolanError> => {
  try {
    await work;
  } catch (thrown) {
    expect(inspect(thrown, { depth: null })).not.toContain('planted');
    return PortolanError.from(thrown);
  }
  throw new Error('nothing was thrown');
};

describe('an error of a bucket', () => {
  it.each([
    [
      403,
      'AccessDenied',
      'STORE_DENIED',
      's3:PutObject is denied for a/b.json in BUCKET (AccessDenied, status 403)',
    ],
    [
      403,
      'SignatureDoesNotMatch',
      'STORE_DENIED',
      's3:PutObject is denied for a/b.json in BUCKET (SignatureDoesNotMatch, status 403)',
    ],
    [
      403,
      'RequestTimeTooSkewed',
      'STORE_DENIED',
      'the clocks of BUCKET and this machine differ (RequestTimeTooSkewed, status 403)',
    ],
    [404, 'NoSuchBucket', 'STORE_MISSING', 'BUCKET does not exist'],
    [301, 'PermanentRedirect', 'STORE_BROKEN', 'BUCKET is in another region (PermanentRedirect, status 301)'],
    [
      503,
      'SlowDown',
      'STORE_UNREACHABLE',
      'no response to s3:PutObject from a/b.json in BUCKET (SlowDown, status 503)',
    ],
    [
      400,
      'InvalidArgument',
      'STORE_BROKEN',
      's3:PutObject failed for a/b.json in BUCKET (InvalidArgument, status 400)',
    ],
  ])('%d %s is %s, in plain words and without what was signed', async (status, code, expected, message) => {
    const store = await answering(fault(status, code));
    const error = await errorOf(store.writeJson('a/b.json', {}));
    const bucket = `the bucket our-backups at ${server!.endpoint}`;
    expect([error.code, error.plainMessage]).toEqual([expected, message.replace('BUCKET', bucket)]);
  });

  it('is that it is out of reach where nothing answers', async () => {
    const store = await answering({ status: 200 });
    const { endpoint } = server!;
    await server!.stop();
    const error = await errorOf(store.writeJson('a/b.json', {}));
    expect(error.code).toBe('STORE_UNREACHABLE');
    expect(error.plainMessage).toContain(
      `no response to s3:PutObject from a/b.json in the bucket our-backups at ${endpoint} (`,
    );
    expect(error.meaning.kind).toBe('transient');
  });

  it('names the right that is missing, whichever it is', async () => {
    const denied = (method: string) =>
      answering((asked) => (asked.method === method ? fault(403, 'AccessDenied') : fault(404, 'NoSuchKey')));
    const rights: string[] = [];
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const store = await denied(method);
      const work = {
        PUT: () => store.check(),
        GET: () => store.readJson('a.json', z.unknown()),
        DELETE: () => store.remove('a.json'),
      }[method]!;
      rights.push((await errorOf(work())).plainMessage.split(' ')[0]!);
      await server!.stop();
    }
    expect(rights).toEqual(['s3:PutObject', 's3:GetObject', 's3:DeleteObject']);
  });

  it('tells a missing bucket from a missing file, though a HEAD has no words', async () => {
    const store = await answering({ status: 404 });
    const error = await errorOf(store.openFile('packages/a.epk'));
    expect(error.code).toBe('STORE_MISSING');
    await server!.stop();
    const other = await answering(({ url }) => ({ status: url.includes('a.epk') ? 404 : 200 }));
    expect(await other.openFile('packages/a.epk')).toBeUndefined();
  });

  it('is told of a batch that was deleted in part', async () => {
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

  it('is none where uploads of others may not be seen', async () => {
    const store = await answering(({ url }) =>
      url.includes('uploads') ? fault(403, 'AccessDenied') : { status: 200 },
    );
    const partial = await store.openPartial('packages/a.epk');
    await partial.append(inPieces(content(10)));
    await partial.commit();
    expect(server!.asked.at(-1)).toMatchObject({ method: 'PUT' });
  });
});

describe('a file that an earlier writer had begun in a bucket', () => {
  const upload = `packages/a.epk.(part)/${'0'.repeat(15)}-0123456789ab`;
  const MB = 1024 ** 2;
  const isOfPiece = (url: string): boolean => decodeURIComponent(url).includes('.(part)/');
  /** A bucket with that upload, of which these parts have come, and what is completed of it. */
  const begun = (
    parts: readonly number[],
    answer: (asked: Asked) => Canned | undefined = () => undefined,
  ) => {
    let completed = 0;
    return (asked: Asked): Canned => {
      const { method, url } = asked;
      const given = answer(asked);
      if (given) return given;
      const key = `<Key>nightly/${upload}</Key>`;
      if (url.includes('uploads') && method === 'GET')
        return { status: 200, body: `<R><Upload>${key}<UploadId>u1</UploadId></Upload></R>` };
      const part = (number: number): string =>
        `<Part><PartNumber>${number}</PartNumber><ETag>"e${number}"</ETag><Size>${8 * MB}</Size></Part>`;
      if (url.includes('uploadId') && method === 'GET')
        return { status: 200, body: `<R>${parts.map(part).join('')}</R>` };
      if (url.includes('uploadId') && method === 'POST') completed = 8 * MB;
      if (method === 'HEAD' && isOfPiece(url) && completed > 0)
        return { status: 200, headers: { etag: '"p"', 'content-length': String(completed) } };
      if (method === 'HEAD' && url.includes('a.epk')) return { status: 404 };
      return { status: 200, body: '<R><UploadId>u2</UploadId><ETag>e</ETag></R>' };
    };
  };
  const askedOf = (method: string): string[] =>
    server!.asked.filter((asked) => asked.method === method).map(({ url }) => url);

  it('is gone on with behind the last part before which none is missing', async () => {
    const store = await answering(begun([1, 3]));
    expect((await store.openPartial('packages/a.epk')).size).toBe(8 * MB);
    expect(askedOf('POST')).toEqual([expect.stringContaining('uploadId=u1')]);
    expect(askedOf('DELETE')).toEqual([]);
  });

  it('is found by a server that lists uploads only of a whole key', async () => {
    let isCompleted = false;
    const store = await answering(
      begun([1], ({ method, url }) => {
        const query = new URL(url, server!.endpoint).searchParams;
        if (method === 'POST') isCompleted = true;
        if (query.has('list-type'))
          return { status: 200, body: `<R><Contents><Key>nightly/${upload}</Key></Contents></R>` };
        if (query.has('uploads') && query.get('prefix') !== `nightly/${upload}`)
          return { status: 200, body: '<R></R>' };
        if (method === 'HEAD' && isOfPiece(url) && !isCompleted)
          return { status: 200, headers: { etag: '"p"', 'content-length': '0' } };
        return undefined;
      }),
    );
    expect((await store.openPartial('packages/a.epk')).size).toBe(8 * MB);
    expect(askedOf('DELETE')).toEqual([]);
    await store.remove('packages/a.epk');
    expect(askedOf('DELETE')).toContainEqual(expect.stringContaining('uploadId=u1'));
  });

  it('has a piece beside it that says so, from before its upload begins', async () => {
    const store = await answering(
      begun([1], ({ method, url }) =>
        method === 'GET' && url.includes('uploads') ? { status: 200, body: '<R></R>' } : undefined,
      ),
    );
    const partial = await store.openPartial('packages/a.epk');
    await partial.append(inPieces(content(9 * MB)));
    const begins = server!.asked.filter(({ method, url }) => method !== 'GET' && !url.includes('delete'));
    const place = begins[0]!.url.split('?')[0]!;
    expect(isOfPiece(place)).toBe(true);
    expect(begins.map(({ method, url }) => [method, url.split('?')[0]])).toEqual([
      ['PUT', place],
      ['POST', place],
      ['PUT', place],
    ]);
    expect(begins[0]!.headers['content-length']).toBe('0');
  });

  it('has nothing beside it in the end where an upload could not begin and it was begun anew', async () => {
    const there = new Set<string>();
    let isRefused = false;
    const store = await answering(({ method, url }) => {
      const { pathname, searchParams: query } = new URL(url, server!.endpoint);
      if (method === 'PUT' && !query.has('partNumber')) there.add(decodeURIComponent(pathname));
      if (method === 'DELETE' && !query.has('uploadId')) there.delete(decodeURIComponent(pathname));
      if (method === 'POST' && query.has('uploads') && !isRefused) {
        isRefused = true;
        return fault(400, 'InvalidRequest');
      }
      if (method === 'HEAD' && url.includes('a.epk')) return { status: 404 };
      return { status: 200, body: method === 'GET' ? '<R></R>' : '<R><UploadId>u2</UploadId></R>' };
    });
    const partial = await store.openPartial('packages/a.epk');
    expect((await errorOf(partial.append(inPieces(content(9 * MB))))).code).toBe('STORE_BROKEN');
    await partial.restart();
    await partial.append(inPieces(content(10)));
    await partial.commit();
    expect([...there]).toEqual(['/our-backups/nightly/packages/a.epk']);
  });

  it('is never made of pieces that no bucket puts together', async () => {
    const pieces = [
      ['0', 20 * MB],
      [`${20 * MB}`, 8 * MB],
      [`${24 * MB}`, 8 * MB],
    ] as const;
    const keyOf = (start: string): string => `packages/a.epk.(part)/${start.padStart(15, '0')}-0123456789ab`;
    const store = await answering(({ method, url }) => {
      if (url.includes('list-type')) {
        const found = pieces.map(([start]) => `<Contents><Key>nightly/${keyOf(start)}</Key></Contents>`);
        return { status: 200, body: `<R>${found.join('')}</R>` };
      }
      const piece = pieces.find(([start]) => decodeURIComponent(url).includes(keyOf(start)));
      if (method === 'HEAD')
        return piece
          ? { status: 200, headers: { etag: '"p"', 'content-length': String(piece[1]) } }
          : { status: 404 };
      return { status: 200, body: '<R></R>' };
    });
    // Of the second one 4 MB would be left, too few for a part that others stand behind.
    expect((await store.openPartial('packages/a.epk')).size).toBe(28 * MB);
    expect(askedOf('DELETE')).toEqual([expect.stringContaining(String(24 * MB))]);
  });

  it.each([
    ['its first part did not come', begun([2])],
    [
      'its parts may not be listed',
      begun([1], ({ method, url }) =>
        method === 'GET' && url.includes('uploadId') ? fault(403, 'AccessDenied') : undefined,
      ),
    ],
    [
      'its parts are refused',
      begun([1], ({ method, url }) =>
        method === 'POST' && url.includes('uploadId') ? fault(400, 'InvalidPart') : undefined,
      ),
    ],
  ])('is ended and begun anew where %s', async (_, answer) => {
    const store = await answering(answer);
    expect((await store.openPartial('packages/a.epk')).size).toBe(0);
    expect(askedOf('DELETE')).toEqual([expect.stringContaining('uploadId=u1')]);
  });

  it('is left as it is while the bucket does not answer', async () => {
    const store = await answering(
      begun([1], ({ url }) => (url.includes('uploadId') ? fault(503, 'SlowDown') : undefined)),
    );
    expect((await errorOf(store.openPartial('packages/a.epk'))).code).toBe('STORE_UNREACHABLE');
    expect(askedOf('DELETE')).toEqual([]);
  });
});

describe('what is written to a bucket', () => {
  it('lies under the prefix, at the endpoint, and names its checksum', async () => {
    const store = await answering({ status: 200 });
    await store.writeJson('runs/a b:c/record.json', {});
    expect(server!.asked).toHaveLength(1);
    expect(server!.asked[0]).toMatchObject({
      method: 'PUT',
      url: expect.stringMatching(/^\/our-backups\/nightly\/runs\/a%20b%3Ac\/record\.json(\?|$)/) as unknown,
      headers: expect.objectContaining({ 'x-amz-checksum-crc32': expect.any(String) as unknown }) as unknown,
    });
  });
});

describe('what is listed in a bucket', () => {
  it('is there whatever a pipeline or stage is called', async () => {
    const key = 'promotions/x.part/prod/1.json';
    const store = await answering(({ url }) => ({
      status: 200,
      body: url.includes('delimiter')
        ? '<R><CommonPrefixes><Prefix>nightly/promotions/x.part/</Prefix></CommonPrefixes></R>'
        : `<R><Contents><Key>nightly/${key}</Key></Contents></R>`,
    }));
    const keys: string[] = [];
    for await (const each of store.list('promotions/')) keys.push(each);
    expect(keys).toEqual([key]);
    expect(await store.names('promotions/')).toEqual(['x.part']);
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

  it('goes on where the connection was cut', async () => {
    const store = await answering(flaky(700_000, 0, 500_000));
    const file = (await store.openFile('packages/a.epk'))!;
    expect((await bytesOf(file.open(1000, 2_000_000))).equals(bytes.subarray(1000, 2_000_000))).toBe(true);
    const reads = server!.asked.filter(({ method }) => method === 'GET');
    expect(reads).toHaveLength(4);
    expect(new Set(reads.map(({ headers }) => headers['if-match']))).toEqual(new Set(['"v1"']));
  });

  it('ends with STORE_UNREACHABLE where nothing more comes', async () => {
    const store = await answering(flaky(10, 0, 0, 0, 0, 0, 0, 0));
    const file = (await store.openFile('packages/a.epk'))!;
    const error = await errorOf(bytesOf(file.open(0, bytes.length)));
    expect(error.code).toBe('STORE_UNREACHABLE');
  });

  it('never mixes two versions of a file', async () => {
    let reads = 0;
    const serve = flaky(700_000);
    const store = await answering((asked) =>
      asked.method === 'GET' && ++reads > 1 ? fault(412, 'PreconditionFailed') : serve(asked),
    );
    const file = (await store.openFile('packages/a.epk'))!;
    const error = await errorOf(bytesOf(file.open(0, bytes.length)));
    expect(error.code).toBe('STORE_BROKEN');
    expect(error.plainMessage).toContain('PreconditionFailed');
  });
});
