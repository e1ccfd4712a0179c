import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { fetchPackage } from '../../../src/activities/transfer/downloads';
import { loadConfig } from '../../../src/config/load-config';
import { openStore } from '../../../src/store/open-store';
import { portalsOf } from '../../portal/raw-portal';
import { bytesOf, content, inPieces, same } from '../../store/content';
import { localSite } from '../../store/local/local-site';

const startPortal = portalsOf(afterEach);
const KEY = 'packages/a.epk';
const PACKAGE = content(2 * 1024 ** 2);

it('a package of which an earlier attempt left what nobody can read is brought by the next one', async () => {
  const site = await localSite({ encrypted: true });
  try {
    const portal = await startPortal({
      'content/items/i1/data': ({ headers }, response) => {
        const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        const range = `bytes ${from}-${PACKAGE.length - 1}/${PACKAGE.length}`;
        response.writeHead(from > 0 ? 206 : 200, from > 0 ? { 'content-range': range } : {});
        response.end(PACKAGE.subarray(from));
      },
    });
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
