import { describe, expect, it } from '@jest/globals';
import { contentOf, ContentsWriter, keptLine } from '../../../src/domain/snapshot/contents';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { aContent, aRow, AStore, claim } from './a-store';

describe('the JSON of items in a snapshot', () => {
  it('is read as it was kept, from one file or several', async () => {
    const one = new AStore();
    const writer = new ContentsWriter(one.store, 'night');
    const ids = Array.from({ length: 40 }, (_, at) => `item${at}`);
    const big = 'x'.repeat(500_000);
    const contentFor = (itemId: string) => ({ ...aContent(itemId), data: { itemId, big } });
    const places = await Promise.all(
      ids.map((itemId) => writer.add(itemId, keptLine('s', { content: contentFor(itemId) }))),
    );
    await writer.end();
    expect(writer.files.length).toBeGreaterThan(1);
    const rows = ids.map((itemId, at) => aRow(itemId, { content: places[at] || undefined }));
    const manifest = await one.take({ id: 'night', contents: writer.files }, rows);
    for (const row of await one.snapshots.rowsOf(manifest))
      expect(await contentOf(one.snapshots, manifest, row)).toEqual(contentFor(row.itemId));
    expect(await contentOf(one.snapshots, manifest, aRow('stranger'))).toBeUndefined();
    await one.requireIntact('night');
  });

  it('is refused if it was altered, and found by a verification [P22]', async () => {
    const one = new AStore();
    const [file] = await one.keepContents('night', { a: aContent('a') });
    const manifest = await one.take({ id: 'night' });
    one.flip(file!.key);
    await expect(contentOf(one.snapshots, manifest, aRow('a'))).rejects.toThrow('SNAPSHOT_ALTERED');
    expect((await verifySnapshot(one.snapshots, 'night')).problems).toMatchObject([{ file: file!.key }]);
  });

  it('stays until the last snapshot that names it is forgotten [P09]', async () => {
    const one = new AStore();
    const first = await one.keepContents('first', { a: aContent('a'), b: aContent('b') });
    await one.take({ id: 'first' }, [aRow('a'), aRow('b')]);
    await claim(one.snapshots, 'second', 'first', first);
    const second = await one.keepContents('second', { b: aContent('b', 'renamed') });
    const rows = [aRow('a'), aRow('b', { content: 1 })];
    await one.take({ id: 'second', contents: [...first, ...second] }, rows);
    await one.forget(['first']);
    const manifest = await one.snapshots.read('second');
    const [a, b] = await Promise.all(rows.map((row) => contentOf(one.snapshots, manifest, row)));
    expect([a?.details['title'], b?.details['title']]).toEqual(['Map a', 'renamed']);
    await one.requireIntact('second');
    await one.forget(['second']);
    expect((await one.keys()).filter((key) => key.endsWith('.br'))).toEqual([]);
  });

  it('is replaced by the reason if it is too long', () => {
    const line = keptLine('s', { content: { ...aContent('a'), data: 'x'.repeat(33 * 1024 ** 2) } });
    expect(JSON.parse(line.json)).toEqual({
      content: {
        details: { id: 'a', title: 'Map a', type: 'Web Map' },
        unread: expect.stringMatching(/longer/),
      },
    });
    expect(line.isUnread).toBe(true);
  });
});
