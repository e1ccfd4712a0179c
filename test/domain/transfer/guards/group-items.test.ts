import { describe, expect, it } from '@jest/globals';
import { classifyAll, exportableItems, requestedInGroup } from '../../../../src/domain/transfer/guards/group';
import { itemsWithinLimit, packageEstimate } from '../../../../src/domain/transfer/guards/room';
import type { RequestedItem } from '../../../../src/model/transfer/requested';
import { releaseFrom } from '../../../../src/portal/http/versions';

const MB = 1024 ** 2;
const GB = 1024 ** 3;

const hosted = { type: 'Feature Service', typeKeywords: ['Hosted Service'], size: 0 };
const group = classifyAll(
  [
    { id: '1', title: 'Roads', ...hosted },
    {
      id: '2',
      title: 'Roads, public',
      type: 'Feature Service',
      typeKeywords: ['Hosted Service', 'View Service'],
      size: -1,
    },
    { id: '3', title: 'Road closures', type: 'Web Map', size: 14_875 },
    { id: '4', title: 'Orthophoto', type: 'Image', size: 64 * MB },
    { id: '5', title: 'Delays', type: 'Dashboard', size: 900 * GB },
    { id: '6', title: 'Speeds', type: 'Dashboard', size: null },
  ],
  releaseFrom('11.2'),
);

const image = (itemId: string, size: number): RequestedItem => ({
  itemId,
  type: 'Image',
  title: `Image ${itemId}`,
  size,
  packageIndex: 0,
});
const packageIndex = 0;
const roads: RequestedItem = {
  itemId: '1',
  type: 'Feature Service',
  title: 'Roads',
  size: 0,
  hosted: true,
  packageIndex,
};
const requested: RequestedItem[] = [
  roads,
  { itemId: '2', type: 'Feature Service', title: 'Roads, public', size: -1, skip: 'a view', packageIndex },
  { itemId: '3', type: 'Web Map', title: 'Road closures', size: 14_875, packageIndex },
  image('4', 64 * MB),
  { itemId: '5', type: 'Dashboard', title: 'Delays', size: 900 * GB, doubt: 'unlisted', packageIndex },
  { itemId: '6', type: 'Dashboard', title: 'Speeds', doubt: 'unlisted', packageIndex },
];
const sameAs = { runId: 'sync-1', as: 'imported' } as const;

describe('guards of the items of a group', () => {
  it('name what export leaves out, by reason, and refuse nothing for it', () => {
    expect(exportableItems(group)).toEqual({
      name: 'item types',
      verdict: 'unknown',
      saw: '5 of 6 items; skipped: a hosted feature service view cannot be exported ("Roads, public"); unknown: type Dashboard is not a known exportable type; the portal decides ("Delays" and "Speeds")',
      needs: 'types known to be exportable',
      todo: 'Nothing; the portal decides, and the record lists what it skips.',
    });
    expect(exportableItems(group.slice(0, 4))).toEqual({
      name: 'item types',
      verdict: 'pass',
      saw: '3 of 4 items; skipped: a hosted feature service view cannot be exported ("Roads, public")',
    });
  });

  it('warn of a type that nobody knows', () => {
    const result = exportableItems(
      classifyAll([{ id: '1', title: 'Arc', type: 'Hologram' }], releaseFrom('11.2')),
    );
    expect(result.verdict).toBe('unknown');
    expect(result.saw).toBe(
      '1 of 1 item; unknown: type Hologram is not a known exportable type; the portal decides ("Arc")',
    );
  });

  it('refuse items that are not in the group, and name them', () => {
    expect(requestedInGroup(['1', '2'], new Set(['1', '2', '3'])).verdict).toBe('pass');
    expect(requestedInGroup(['1', '8', '9'], new Set(['1']))).toEqual({
      name: 'requested items',
      verdict: 'refuse',
      saw: 'not in the source group: 8, 9',
      needs: 'only items of the source group',
      todo: 'Share them with the source group, or remove them from --items.',
      code: 'ITEM_NOT_IN_GROUP',
    });
  });

  it('weigh what goes and not what is left out', () => {
    expect(itemsWithinLimit(group.slice(0, 4), GB)).toEqual({
      name: 'item size',
      verdict: 'pass',
      saw: 'largest 64 MB',
    });
  });

  it('warn, and refuse nothing, where what is too large may be left out', () => {
    expect(itemsWithinLimit(group, GB)).toEqual({
      name: 'item size',
      verdict: 'unknown',
      saw: '"Delays": 900 GB, if exported',
      needs: 'items of at most 1 GB',
      todo: 'Nothing if the export skips it. Otherwise remove it from the group, or omit it with --items.',
    });
    expect(
      packageEstimate(
        [{ itemId: '1', title: 'Delays', type: 'Dashboard', size: 9 * GB, doubt: 'unlisted', packageIndex }],
        5 * GB,
      ),
    ).toEqual({
      name: 'package size',
      verdict: 'unknown',
      saw: '0 bytes of files, and 1 item that the export may skip: "Delays"',
      needs: 'a package of at most 5 GB',
      todo: 'Nothing; the size of a package is known after the export, and a package that is too large is split.',
    });
  });

  it('refuse an item over the limit, exactly', () => {
    const of = (size: number) =>
      classifyAll([{ id: '1', title: 'Orthophoto', type: 'Image', size }], undefined);
    expect(itemsWithinLimit(of(GB), GB).verdict).toBe('pass');
    expect(itemsWithinLimit(of(GB + 1), GB)).toEqual({
      name: 'item size',
      verdict: 'refuse',
      saw: '"Orthophoto": 1073741825 bytes',
      needs: 'items of at most 1 GB',
      todo: 'Remove the large items from the group, or omit them with --items.',
      code: 'ITEM_TOO_LARGE',
    });
  });

  it('say ? for services, whose size nobody knows beforehand', () => {
    expect(packageEstimate(requested, 5 * GB)).toEqual({
      name: 'package size',
      verdict: 'unknown',
      saw: '64 MB of files in 2 packages, and 1 item of unknown size: "Roads", and 2 items that the export may skip: "Delays" and "Speeds"',
      needs: 'a package of at most 5 GB',
      todo: 'Nothing; the size of a package is known after the export, and a package that is too large is split.',
    });
    expect(packageEstimate(requested.slice(2, 4), 5 * GB)).toEqual({
      name: 'package size',
      verdict: 'pass',
      saw: 'about 64 MB',
    });
  });

  it('let a group go in several packages, and count only what goes', () => {
    const twelve = Array.from({ length: 12 }, (_, at) => image(String(at), GB));
    expect(packageEstimate(twelve, 5 * GB)).toEqual({
      name: 'package size',
      verdict: 'pass',
      saw: 'about 12 GB in 3 packages',
      isNews: true,
    });
    const nightly = twelve.map((item, at) => (at < 8 ? { ...item, same: sameAs } : item));
    expect(packageEstimate(nightly, 5 * GB)).toMatchObject({ verdict: 'pass', saw: 'about 4 GB' });
    expect(packageEstimate([...twelve, roads], 5 * GB)).toMatchObject({
      verdict: 'unknown',
      saw: '12 GB of files in 3 packages, and 1 item of unknown size: "Roads"',
    });
  });

  it('know a service by what earlier packages have shown of its weight', () => {
    const seen = { ...roads, bytes: 3 * GB };
    expect(packageEstimate([seen, image('2', GB)], 5 * GB)).toMatchObject({
      verdict: 'pass',
      saw: 'about 4 GB',
    });
    expect(packageEstimate([seen, { ...seen, itemId: '2' }], 5 * GB)).toMatchObject({
      saw: 'about 6 GB in 2 packages',
    });
  });

  it('refuse by name what is too large for any package', () => {
    expect(packageEstimate([image('1', 50 * MB), image('2', 50 * MB + 1), image('3', MB)], 50 * MB)).toEqual({
      name: 'package size',
      verdict: 'refuse',
      saw: '"Image 2": 52428801 bytes',
      needs: 'a package of at most 50 MB',
      todo: 'Remove the large items from the group, or omit them with --items.',
      code: 'PACKAGE_TOO_LARGE',
    });
    expect(packageEstimate([{ ...roads, bytes: 6 * GB }], 5 * GB)).toMatchObject({
      verdict: 'refuse',
      saw: '"Roads": 6 GB, judging by earlier packages',
      todo: 'Remove the large items from the group, or omit them with --items. If they have become smaller, sync once with --full.',
    });
  });
});
