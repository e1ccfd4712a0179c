import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, it, jest } from '@jest/globals';
import { fetchPackage } from '../../../src/activities/transfer/downloads';
import { loadConfig } from '../../../src/config/load-config';
import { PortolanError } from '../../../src/model/errors/errors';
import { openStore } from '../../../src/store/open-store';
import { portalsOf } from '../../portal/raw-portal';
import { bytesOf, content, inPieces, same } from '../../store/content';
import { localSite } from '../../store/local/local-site';

const startPortal = portalsOf(afterEach);
const KEY = 'packages/a.epk';
const PACKAGE = content(2 * 1024 ** 2);

/** A portal that gives the package, from any byte on. */
const portalWithPackage = () =>
  startPortal({
    'content/items/i1/data': ({ headers }, response) => {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      const range = `bytes ${from}-${PACKAGE.length - 1}/${PACKAGE.length}`;
      response.writeHead(from > 0 ? 206 : 200, from > 0 ? { 'content-range': range } : {});
      response.end(PACKAGE.subarray(from));
    },
  });

it.each(['STORE_DENIED', 'STORE_UNREACHABLE', 'TRANSFER_STALLED'] as const)(
  'what an earlier attempt left of a package is kept where reading it back ends with %s',
  async (code) => {
    const site = await localSite();
    try {
      const portal = await portalWithPackage();
      const earlier = await openStore(loadConfig(site.config)).openPartial(KEY);
      await earlier.append(inPieces(PACKAGE.subarray(0, 1024 ** 2)));
      const partial = await openStore(loadConfig(site.config)).openPartial(KEY);
      jest.spyOn(partial, 'open').mockImplementation(() =>
        Readable.from(
          (async function* () {
            yield await Promise.resolve(PACKAGE.subarray(0, 10));
            throw new PortolanError(code, 'planted');
          })(),
        ),
      );
      const { signal } = new AbortController();
      const fetch = { itemId: 'i1', declared: PACKAGE.length, atMost: 10 * 1024 ** 2 };
      await expect(
        fetchPackage(portal.client(), partial, { ...fetch, signal, onBytes: () => {} }),
      ).rejects.toMatchObject({ code });
      expect((await openStore(loadConfig(site.config)).openPartial(KEY)).size).toBe(1024 ** 2);
    } finally {
      await site.close();
    }
  },
);

it('a package of which an earlier attempt left what nobody can read is brought by the next one', async () => {
  const site = await localSite({ encrypted: true });
  try {
    const portal = await portalWithPackage();
    const bring = async () => {
      const store = openStore(loadConfig(site.config));
      const partial = await store.openPartial(KEY);
      const sizes = { declared: PACKAGE.length, atMost: 10 * 1024 ** 2 };
      const { signal } = new AbortController();
      await fetchPackage(portal.client(), partial, { itemId: 'i1', ...sizes, signal, onBytes: () => {} });
      await partial.commit();
      const file = (await store.openFile(KEY))!;
      return await bytesOf(file.open(0, file.size));
    };
    const earlier = await openStore(loadConfig(site.config)).openPartial(KEY);
    await earlier.append(inPieces(PACKAGE.subarray(0, 1024 ** 2)));
    const [part = ''] = await readdir(path.join(site.folder, 'packages'));
    const file = await open(path.join(site.folder, 'packages', part), 'r+');
    await file.write(Buffer.from('altered'), 0, 7, 500_000);
    await file.close();

    await expect(bring()).rejects.toMatchObject({ code: 'STORE_BROKEN', meaning: { kind: 'unknown' } });
    expect(same(await bring(), PACKAGE)).toBe(true);
  } finally {
    await site.close();
  }
});
