import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { fetchPackage } from '../../../src/activities/transfer/downloads';
import { loadConfig } from '../../../src/config/load-config';
import { PortolanError } from '../../../src/model/errors/errors';
import type { PartialFile } from '../../../src/store/store';
import { openStore } from '../../../src/store/open-store';
import { portalsOf, type RawPortal } from '../../portal/raw-portal';
import { content, inPieces, same, storedBytes } from '../../store/content';
import { localSite } from '../../store/local/local-site';

const startPortal = portalsOf(afterEach);
const KEY = 'packages/a.epk';
const PACKAGE = content(2 * 1024 ** 2);

/** From where it was asked for. */
const ranges: number[] = [];
beforeEach(() => void ranges.splice(0));

/** A portal that gives the package, from any byte on. @param breaksAt where it first breaks the connection */
const portalWithPackage = (breaksAt?: number) =>
  startPortal({
    'content/items/i1/data': ({ headers }, response) => {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      ranges.push(from);
      const range = `bytes ${from}-${PACKAGE.length - 1}/${PACKAGE.length}`;
      response.writeHead(from > 0 ? 206 : 200, from > 0 ? { 'content-range': range } : {});
      if (breaksAt !== undefined && from < breaksAt)
        return void response.write(PACKAGE.subarray(from, breaksAt), () =>
          setTimeout(() => response.destroy(), 200),
        );
      response.end(PACKAGE.subarray(from));
    },
  });

let site: ReturnType<typeof localSite>;
const open = (encrypted: boolean) => (site = localSite({ encrypted }));
const openPartial = () => openStore(loadConfig(site.config)).openPartial(KEY);
/** An earlier attempt has brought a megabyte. */
const earlier = async () => (await openPartial()).append(inPieces(PACKAGE.subarray(0, 1024 ** 2)));

const fetched = (portal: RawPortal, partial: PartialFile) =>
  fetchPackage(portal.client(), partial, {
    itemId: 'i1',
    declared: PACKAGE.length,
    atMost: 10 * 1024 ** 2,
    signal: new AbortController().signal,
    onBytes: () => {},
  });

/** Brings the package in one attempt. */
async function bring(portal: RawPortal) {
  const store = openStore(loadConfig(site.config));
  const partial = await store.openPartial(KEY);
  const { sha256 } = await fetched(portal, partial);
  expect(sha256).toBe(createHash('sha256').update(PACKAGE).digest('hex'));
  await partial.commit();
  expect(same((await storedBytes(store, KEY))!, PACKAGE)).toBe(true);
}

it.each(['STORE_DENIED', 'STORE_UNREACHABLE', 'TRANSFER_STALLED'] as const)(
  'a partial download is kept when reading it back fails with %s',
  async (code) => {
    open(false);
    await earlier();
    const partial = await openPartial();
    jest.spyOn(partial, 'pieces').mockImplementation(async function* () {
      yield await Promise.resolve(PACKAGE.subarray(0, 10));
      throw new PortolanError(code, 'planted');
    });
    await expect(fetched(await portalWithPackage(), partial)).rejects.toMatchObject({ code });
    expect((await openPartial()).size).toBe(1024 ** 2);
  },
);

it.each([
  ['altered the partial file', async (file: string) => writeFile(file, 'altered')],
  ['did not', async () => undefined],
])('a download into an encrypted store starts over if somebody %s', async (_title, alter) => {
  open(true);
  await earlier();
  const [part = ''] = await readdir(path.join(site.folder, 'packages'));
  await alter(path.join(site.folder, 'packages', part));
  await bring(await portalWithPackage());
  expect(ranges).toEqual([0]);
});

it('a download into an encrypted store resumes within the same attempt', async () => {
  open(true);
  await bring(await portalWithPackage(1_500_000));
  expect(ranges).toEqual([0, 1_500_000]);
});
