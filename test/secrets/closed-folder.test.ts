import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { closeToOthers } from '../../src/secrets/closed-folder';

describe('a folder of ours that an earlier version made', () => {
  let folder: string;
  const at = (...names: string[]): string => path.join(folder, 'state', ...names);
  const place = async (...names: string[]): Promise<void> => {
    await mkdir(path.dirname(at(...names)), { recursive: true });
    await writeFile(at(...names), 'x');
    await chmod(at(...names), 0o644);
  };
  const modeOf = async (...names: string[]): Promise<string> =>
    ((await stat(at(...names))).mode & 0o777).toString(8);
  const isOurs = (name: string): boolean => name.startsWith('our');

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-closed-'));
    await mkdir(at(), { mode: 0o755 });
    await chmod(at(), 0o755);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is closed to everybody else, with all that is in it', async () => {
    await place('ours', 'deep', 'file');
    await place('our-file');
    await closeToOthers(at(), isOurs);
    expect([await modeOf(), await modeOf('ours'), await modeOf('ours', 'deep')]).toEqual([
      '700',
      '700',
      '700',
    ]);
    expect([await modeOf('ours', 'deep', 'file'), await modeOf('our-file')]).toEqual(['600', '600']);
  });

  it('that people share with other things keeps their rights, and closes ours alone', async () => {
    await place('ours', 'file');
    await place('theirs', 'file');
    await closeToOthers(at(), isOurs);
    expect([await modeOf('ours'), await modeOf('ours', 'file')]).toEqual(['700', '600']);
    expect([await modeOf(), await modeOf('theirs'), await modeOf('theirs', 'file')]).toEqual([
      '755',
      '755',
      '644',
    ]);
  });

  it('leads nowhere else: what a link in it names keeps its rights', async () => {
    await place('ours', 'file');
    const elsewhere = path.join(folder, 'elsewhere');
    await writeFile(elsewhere, 'x');
    await chmod(elsewhere, 0o644);
    await symlink(elsewhere, at('ours', 'link'));
    await closeToOthers(at(), isOurs);
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o644);
  });

  it('need not be there', async () => {
    await expect(closeToOthers(at('none'), isOurs)).resolves.toBeUndefined();
  });
});
