import { aFolder } from '../../support/folder';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { PortolanError } from '../../../src/model/errors/errors';
import { keepCopy } from '../../../src/domain/snapshot/keep-copy';
import { LocalStore } from '../../../src/store/local/local-store';
import { failureOf } from '../../portal/raw-portal';

afterEach(() => void jest.restoreAllMocks());

const folder = aFolder();
const keep = (body: Iterable<Buffer> | AsyncIterable<Buffer>, atMost = 5, totalBytes?: number) =>
  keepCopy(
    new LocalStore(folder),
    'copies/a',
    { body: Readable.from(body), totalBytes },
    { atMost, portal: 'staging' },
  );
const bytes = (text: string): Buffer[] => [Buffer.from(text)];

/** Pieces as long as somebody takes them. */
function* endless(size: number, before: () => void = () => {}): Generator<Buffer> {
  for (;;) {
    before();
    yield Buffer.alloc(size, 'x');
  }
}

/** Names of all files below the folder, unfinished ones too. */
async function files() {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((file) => file.isFile()).map(({ name }) => name);
}

describe('a copy of an item', () => {
  it('ends when its bytes exceed the limit, and leaves nothing', async () => {
    expect(await failureOf(keep(endless(64 * 1024), 1024 ** 2))).toEqual({
      code: 'ITEM_TOO_LARGE',
      message: 'staging sends more than the 1048576 bytes of limits.itemBytes',
      facts: { portal: 'staging' },
    });
    expect(await files()).toEqual([]);
  });

  it('does not start if it is announced as too long', async () => {
    expect(await failureOf(keep(bytes('x'), 5, 6))).toMatchObject({ code: 'ITEM_TOO_LARGE' });
    expect(await files()).toEqual([]);
  });

  it('ends when it only trickles, and leaves nothing [P17]', async () => {
    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    expect(
      await failureOf(
        keep(
          endless(1, () => (now += 1_000)),
          1024 ** 2,
        ),
      ),
    ).toEqual({
      code: 'TRANSFER_STALLED',
      message: 'copy from staging: 600 bytes in 10 minutes, 600 so far; slower than 1024 bytes a second',
      facts: { portal: 'staging' },
    });
    expect(await files()).toEqual([]);
  });

  it('stays if an earlier attempt is stopped after a later one has saved it [P04]', async () => {
    async function* stopped(): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      await keep(bytes('saved'));
      throw new PortolanError('ABORTED', 'the attempt was stopped');
    }
    expect(await failureOf(keep(stopped()))).toMatchObject({ code: 'ABORTED' });
    expect(await readFile(path.join(folder, 'copies', 'a'), 'utf8')).toBe('saved');
  });

  it('is kept at exactly the limit', async () => {
    expect(await keep(bytes('bytes'))).toMatchObject({ sizeBytes: 5 });
    expect(await readFile(path.join(folder, 'copies/a'), 'utf8')).toBe('bytes');
  });
});
