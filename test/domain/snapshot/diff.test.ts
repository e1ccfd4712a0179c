import { describe, expect, it } from '@jest/globals';
import type { ComparedRow } from '../../../src/domain/snapshot/compare-rows';
import { differs, diffSides } from '../../../src/domain/snapshot/diff';
import { aRow } from './a-store';

const layer = { layerId: 0, name: 'Roads', count: 7, lastEditDate: 5_000 };
const service = (itemId: string, layers: ComparedRow['layers']) =>
  aRow(itemId, { type: 'Feature Service', hosted: true, size: undefined, layers });

/** What a comparison says of the item `a`. */
function diffOf(before: ComparedRow, after: ComparedRow, hashes: [string?, string?] = []) {
  const [item] = diffSides(
    { name: 'A', rows: [before], packageOf: () => hashes[0] },
    { name: 'B', rows: [after], packageOf: () => hashes[1] },
  ).items;
  if (!item) throw new Error('there is no item');
  return item;
}

describe('two snapshots', () => {
  it('differ by what was added, removed and changed, in that order', () => {
    const before = [aRow('same'), aRow('gone'), aRow('new title')];
    const after = [
      aRow('new title', { title: 'Other', owner: 'x', modified: 2_000 }),
      aRow('same'),
      aRow('new'),
    ];
    const diff = diffSides({ name: 'A', rows: before }, { name: 'B', rows: after });
    expect(diff.items.map(({ itemId, difference, fields }) => [itemId, difference, fields])).toEqual([
      ['new', 'added', []],
      ['gone', 'removed', []],
      [
        'new title',
        'changed',
        [
          { field: 'title', before: 'Map new title', after: 'Other' },
          { field: 'owner', before: 'm.lee', after: 'x' },
          { field: 'modified', before: '1970-01-01T00:00:01.000Z', after: '1970-01-01T00:00:02.000Z' },
        ],
      ],
      ['same', 'same', []],
    ]);
    expect(diff.counts).toEqual({ added: 1, removed: 1, changed: 1, same: 1, notCompared: 0 });
    expect(differs(diff)).toBe(true);
  });

  it('differ if only one has saved an item', () => {
    expect(diffOf(aRow('a'), aRow('a', { saved: 'no' })).fields).toEqual([
      { field: 'saved', before: 'yes', after: 'no' },
    ]);
    expect(diffOf(aRow('a'), aRow('a', { saved: 'presumed' })).difference).toBe('same');
  });

  it('name the data that was not compared', () => {
    const whole = service('a', [layer]);
    const noDate = service('a', [{ ...layer, lastEditDate: undefined }]);
    const noCount = service('a', [{ ...layer, count: undefined }]);
    const said = (before: ComparedRow, after: ComparedRow) => diffOf(before, after).notCompared;
    expect(said(whole, whole)).toEqual([]);
    expect(said(whole, noDate)).toEqual(['layer 0 "Roads": last edit unknown in B']);
    expect(said(noDate, noDate)).toEqual(['layer 0 "Roads": last edit unknown in A and B']);
    expect(said(noCount, whole)).toEqual(['layer 0 "Roads": rows unknown in A']);
    expect(said(whole, service('a', undefined))).toEqual(['layers unknown in B']);
    expect(said(service('a', []), service('a', []))).toEqual(['layers unknown in A and B']);
    expect(said(aRow('a', { modified: undefined }), aRow('a', { modified: -1 }))).toEqual([
      'time of the last change unknown in A and B',
    ]);
    // Services that the portal does not host tell no size, and nothing of what they serve.
    const elsewhere = aRow('a', { type: 'Map Service', size: -1 });
    expect(said(elsewhere, elsewhere)).toEqual(['size unknown in A and B']);
    const empty = service('a', [{ ...layer, count: 0 }]);
    expect(said(empty, empty)).toEqual([]);
    expect(said(empty, noCount)).toEqual(['layer 0 "Roads": rows unknown in B']);
  });

  it('are compared by bytes if both hold one package, or copies', () => {
    const untold = aRow('a', { modified: undefined });
    expect(diffOf(untold, untold, ['h', 'h'])).toMatchObject({
      difference: 'same',
      bytes: true,
      notCompared: [],
    });
    expect(diffOf(untold, untold, ['h', 'i']).notCompared).toHaveLength(1);
    const copy = { recordSha256: 'r', dataSha256: '1'.repeat(64), sizeBytes: 1, files: [] };
    const copied = aRow('a', { saved: 'copy', copy });
    const other = aRow('a', { saved: 'copy', copy: { ...copy, dataSha256: '2'.repeat(64) } });
    expect(diffOf(copied, copied).bytes).toBe(true);
    expect(diffOf(copied, other).fields).toEqual([
      { field: 'bytes of the data', before: '1'.repeat(12), after: '2'.repeat(12) },
    ]);
  });

  it('do not differ from a live group by what was saved', () => {
    const { saved: _, ...live } = aRow('a');
    expect(diffOf(aRow('a', { saved: 'no' }), live)).toMatchObject({ difference: 'same', notCompared: [] });
  });
});
