import { aFolder } from '../../support/folder';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { PortolanError } from '../../../src/model/errors/errors';
import { keepCopy } from '../../../src/domain/snapshot/keep-copy';
import { downloadItemData } from '../../../src/portal/resources/items/download';
import { LocalStore } from '../../../src/store/local/local-store';
import { failureOf, portalsOf, type Reply, words } from '../../portal/raw-portal';

const startPortal = portalsOf(afterEach);

afterEach(() => void jest.restoreAllMocks());

/** Bytes as long as somebody takes them. */
const endless: Reply = (_seen, response) => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
};

const kept = async (reply: Reply, atMost: number) => {
  const folder = aFolder();

  const portal = await startPortal({ 'content/items/a/data': reply });
  const download = await downloadItemData(portal.client(), 'a', { from: 0 });
  return {
    folder,
    keeping: keepCopy(new LocalStore(folder), 'copies/a', download, { atMost, portal: 'staging' }),
  };
};

/** Names of all files below a folder, unfinished ones too. */
async function filesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map(({ name }) => name);
}

describe('a copy of an item', () => {
  it('ends when its bytes exceed the limit, and leaves nothing', async () => {
    const { folder, keeping } = await kept(endless, 1024 ** 2);
    expect(await failureOf(keeping)).toEqual({
      code: 'ITEM_TOO_LARGE',
      message: 'staging sends more than the 1048576 bytes of limits.itemBytes',
      facts: { portal: 'staging' },
    });
    expect(await filesIn(folder)).toEqual([]);
  });

  it('does not start if it is announced as too long', async () => {
    const { folder, keeping } = await kept(
      words('x'.repeat(2_000_000), 200, { 'content-length': '2000000' }),
      1024 ** 2,
    );
    expect(await failureOf(keeping)).toMatchObject({ code: 'ITEM_TOO_LARGE' });
    expect(await filesIn(folder)).toEqual([]);
  });

  it('stays if an earlier attempt is stopped after a later one has saved it [P04]', async () => {
    const folder = aFolder();

    const store = new LocalStore(folder);
    const limits = { atMost: 100, portal: 'staging' };
    const keep = (body: Readable) => keepCopy(store, 'copies/a', { body }, limits);
    async function* stopped(): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      await keep(Readable.from([Buffer.from('saved')]));
      throw new PortolanError('ABORTED', 'the attempt was stopped');
    }
    expect(await failureOf(keep(Readable.from(stopped())))).toMatchObject({ code: 'ABORTED' });
    expect(await readFile(path.join(folder, 'copies', 'a'), 'utf8')).toBe('saved');
  });

  it('ends when it only trickles, and leaves nothing [P17]', async () => {
    const folder = aFolder();

    let now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    function* trickle(): Generator<Buffer> {
      for (;;) {
        now += 1_000;
        yield Buffer.from('x');
      }
    }
    const download = { body: Readable.from(trickle()) };
    const store = new LocalStore(folder);
    const keeping = keepCopy(store, 'copies/a', download, { atMost: 1024 ** 2, portal: 'staging' });
    expect(await failureOf(keeping)).toEqual({
      code: 'TRANSFER_STALLED',
      message: 'copy from staging: 600 bytes in 10 minutes, 600 so far; slower than 1024 bytes a second',
      facts: { portal: 'staging' },
    });
    expect(await filesIn(folder)).toEqual([]);
  });

  it('is kept at exactly the limit', async () => {
    const { folder, keeping } = await kept(words('bytes'), 5);
    expect(await keeping).toMatchObject({ sizeBytes: 5 });
    expect(await readFile(path.join(folder, 'copies/a'), 'utf8')).toBe('bytes');
  });
});
