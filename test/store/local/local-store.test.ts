import { type FileHandle, open, readlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it, jest } from '@jest/globals';
import { LocalStore } from '../../../src/store/local/local-store';
import { inPieces } from '../content';
import { storeRules } from '../store-rules';
import { localSite } from './local-site';

storeRules('a store in a folder', () => localSite(), 128 * 1024);

afterEach(() => void jest.restoreAllMocks());

it('a store in a folder holds what was written, with its names, after a power cut', async () => {
  const site = localSite();
  const store = new LocalStore(site.folder);
  await store.check();
  const synced = await watchSyncs(site.config);
  await store.writeJson('runs/one/intent.json', {});
  const ofNote = synced.splice(0);
  const partial = await store.openPartial('packages/one.epk');
  await partial.append(inPieces(Buffer.from('bytes')));
  await partial.commit();
  const within = (all: string[]) => all.map((each) => path.relative(site.folder, each));
  expect(within(ofNote)).toEqual(['runs', '', expect.stringMatching(/intent\.json.*tmp$/), 'runs/one']);
  expect(within(synced)).toEqual(['', expect.stringMatching(/part$/), 'packages']);
});

/** Names, in their order, of what the disk is told to write. @param file any, by which Node shows how it does that */
async function watchSyncs(file: string) {
  const handle = await open(file);
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced: string[] = [];
  const sync = handles.sync;
  jest.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push(await readlink(`/proc/self/fd/${this.fd}`));
    await sync.call(this);
  });
  return synced;
}
