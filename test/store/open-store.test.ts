import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isOfStore, keys } from '../../src/store/keys';
import { closeStoreToOthers } from '../../src/store/open-store';

describe('a store in a folder', () => {
  let folder: string;
  const modeOf = async (name: string): Promise<string> =>
    ((await stat(path.join(folder, name))).mode & 0o777).toString(8);

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-store-'));
    await mkdir(path.join(folder, 'runs', 'earlier'), { recursive: true });
    await writeFile(path.join(folder, 'runs', 'earlier', 'record.json'), '{}');
    for (const name of ['.', 'runs', 'runs/earlier']) await chmod(path.join(folder, name), 0o755);
    await chmod(path.join(folder, 'runs', 'earlier', 'record.json'), 0o644);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('that an earlier version left open to others is closed', async () => {
    await closeStoreToOthers({ type: 'local', path: folder });
    const modes = await Promise.all(['.', 'runs', 'runs/earlier', 'runs/earlier/record.json'].map(modeOf));
    expect(modes).toEqual(['700', '700', '700', '600']);
  });

  it('that lies among other things is closed, and they are left alone', async () => {
    await writeFile(path.join(folder, 'portolan.yaml'), '{}');
    await chmod(path.join(folder, 'portolan.yaml'), 0o644);
    await closeStoreToOthers({ type: 'local', path: folder });
    expect(await Promise.all(['.', 'portolan.yaml', 'runs'].map(modeOf))).toEqual(['755', '644', '700']);
  });

  it('knows each of its keys as its own', () => {
    const route = { name: 'a', source: { groupId: 'b' }, target: { groupId: 'c' } };
    const made = Object.values(keys).map((key): unknown =>
      typeof key === 'string' ? key : (key as (...given: unknown[]) => unknown)(route, '1', '2', '3'),
    );
    const tops = made.filter((key) => typeof key === 'string').map((key) => key.split('/')[0] ?? '');
    expect(tops.length).toBeGreaterThan(20);
    expect([...new Set(tops)].filter((top) => !isOfStore(top))).toEqual([]);
  });
});
