import { describe, expect, it } from '@jest/globals';
import { packagedRows, rowsAsPackaged } from '../../../src/domain/change/packaged-rows';
import type { Snapshots } from '../../../src/domain/snapshot/snapshots';
import type { SnapshotManifest, SnapshotRow } from '../../../src/model/snapshot/snapshot';

const itemId = 'a'.repeat(32);
const before = 1_788_253_200_000;

/** A snapshot of a hosted service whose layers were last edited so, as told before its export and after it. */
function snapshotWith(
  edits: readonly (number | undefined)[],
  after = edits,
  placement: SnapshotRow['placement'] = { owner: 'anna' },
) {
  const layersOf = (all: typeof edits) =>
    all.map((lastEditDate, layerId) => ({ layerId, name: 'Signs', count: 5, lastEditDate }));
  const row = {
    itemId,
    type: 'Feature Service',
    hosted: true,
    layers: layersOf(edits),
    placement,
  } as SnapshotRow;
  const snapshots = {
    read: async () => ({}) as SnapshotManifest,
    rowsOf: async () => [row],
    contents: { find: async () => ({ content: { details: {}, layers: layersOf(after) } }) },
  } as unknown as Snapshots;
  return { snapshots, mark: () => packagedRows(snapshots, {} as SnapshotManifest, row) };
}

describe('the rows in a package', () => {
  it('are known if each layer tells one last edit before and after the export', async () => {
    const marks = [[before], [before + 1], [before, before]].map((edits) => snapshotWith(edits).mark());
    expect(new Set(await Promise.all(marks)).size).toBe(3);
    for (const [edits, after] of [
      [[before], [before + 1]],
      [[before, undefined], undefined],
      [[0], undefined],
      [[], undefined],
    ] as const)
      expect(await snapshotWith(edits, after).mark()).toBeUndefined();
  });

  it('are unknown in a backup that reads only what changed after its export', async () => {
    const { snapshots } = snapshotWith([before]);
    const source = (await snapshotWith([before]).mark()) ?? '';
    const known = { [itemId]: { runId: 'r', rows: { source, target: 'as imported' } } };
    expect([...(await rowsAsPackaged(snapshots, 's', known))]).toEqual([[itemId, 'as imported']]);
    const plain = { ...snapshotWith([before]) };
    const [row] = await plain.snapshots.rowsOf({} as SnapshotManifest);
    expect(
      await packagedRows(plain.snapshots, {} as SnapshotManifest, { ...row!, placement: undefined }),
    ).toBeUndefined();
    expect((await rowsAsPackaged(snapshots, 's', {})).size).toBe(0);
  });
});
