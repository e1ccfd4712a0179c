import { describe, expect, it } from '@jest/globals';
import { classifyAll, exportableItems, requestedInGroup } from '../../../../src/domain/transfer/guards/group';
import { itemsWithinLimit, packageEstimate } from '../../../../src/domain/transfer/guards/room';
import type { RequestedItem } from '../../../../src/model/transfer/requested';
import { releaseFrom } from '../../../../src/portal/http/versions';
import { linesOf } from '../facts';

const MB = 1024 ** 2;
const GB = 1024 ** 3;

const service = { type: 'Feature Service', typeKeywords: ['Hosted Service'] };
const view = [...service.typeKeywords, 'View Service'];
const group = classifyAll(
  [
    { id: '1', title: 'Roads', ...service, size: 0 },
    { id: '2', title: 'Roads, public', ...service, typeKeywords: view, size: -1 },
    { id: '3', title: 'Road closures', type: 'Web Map', size: 14_875 },
    { id: '4', title: 'Orthophoto', type: 'Image', size: 64 * MB },
    { id: '5', title: 'Delays', type: 'Dashboard', size: 900 * GB },
    { id: '6', title: 'Speeds', type: 'Dashboard', size: null },
  ],
  releaseFrom('11.2'),
);
const ofType = (type: string, size?: number) =>
  classifyAll([{ id: '1', title: 'Arc', type, size }], releaseFrom('11.2'));

const item = (itemId: string, type: string, title: string, more: Partial<RequestedItem>): RequestedItem => ({
  itemId,
  type,
  title,
  packageIndex: 0,
  ...more,
});
const image = (itemId: string, size: number) => item(itemId, 'Image', `Image ${itemId}`, { size });
const roads = item('1', 'Feature Service', 'Roads', { size: 0, hosted: true });
const known = (bytes: number, itemId = '1') => ({ ...roads, itemId, bytes });
const delays = item('5', 'Dashboard', 'Delays', { size: 900 * GB, doubt: 'unlisted' });
const twelve = Array.from({ length: 12 }, (_, at) => image(String(at), GB));
const four = twelve.map((each, at) =>
  at < 8 ? { ...each, same: { runId: 'sync-1', as: 'imported' } as const } : each,
);
const isKnownLater =
  'Nothing; the size of a package is known after the export, and a package that is too large is split.';
const removeLarge = 'Remove the large items from the group, or omit them with --items.';
const types = [
  'needs types known to be exportable',
  'Nothing; the portal decides, and the record lists what it skips.',
];
const aView = 'skipped: a hosted feature service view cannot be exported ("Roads, public")';

describe('a guard of the items of a group', () => {
  it.each([
    [
      'types the export skips',
      exportableItems(group.slice(0, 4)),
      ['item types: pass', `3 of 4 items; ${aView}`],
    ],
    [
      'an unknown type',
      exportableItems(ofType('Hologram')),
      [
        'item types: unknown',
        '1 of 1 item; unknown: type Hologram is not a known exportable type; the portal decides ("Arc")',
        ...types,
      ],
    ],
    [
      'requested items of another group',
      requestedInGroup(['1', '8', '9'], new Set(['1'])),
      [
        'requested items: refuse ITEM_NOT_IN_GROUP',
        'not in the source group: 8, 9',
        'needs only items of the source group',
        'Share them with the source group, or remove them from --items.',
      ],
    ],
    [
      'sizes without skipped items',
      itemsWithinLimit(group.slice(0, 4), GB),
      ['item size: pass', 'largest 64 MB'],
    ],
    [
      'a large item that the export may skip',
      itemsWithinLimit(group, GB),
      [
        'item size: unknown',
        '"Delays": 900 GB, if exported',
        'needs items of at most 1 GB',
        'Nothing if the export skips it. Otherwise remove it from the group, or omit it with --items.',
      ],
    ],
    ['an item at the limit', itemsWithinLimit(ofType('Image', GB), GB), ['item size: pass', 'largest 1 GB']],
    [
      'an item over the limit',
      itemsWithinLimit(ofType('Image', GB + 1), GB),
      [
        'item size: refuse ITEM_TOO_LARGE',
        '"Arc": 1073741825 bytes',
        'needs items of at most 1 GB',
        removeLarge,
      ],
    ],
    [
      'a package that may be empty',
      packageEstimate([delays], 5 * GB),
      [
        'package size: unknown',
        '0 bytes of files, and 1 item that the export may skip: "Delays"',
        'needs a package of at most 5 GB',
        isKnownLater,
      ],
    ],
    [
      'several packages with a service of unknown size',
      packageEstimate([...twelve, roads], 5 * GB),
      [
        'package size: unknown',
        '12 GB of files in 3 packages, and 1 item of unknown size: "Roads"',
        'needs a package of at most 5 GB',
        isKnownLater,
      ],
    ],
    [
      'a service of known size',
      packageEstimate([known(3 * GB), image('2', GB)], 5 * GB),
      ['package size: pass', 'about 4 GB'],
    ],
    [
      'two services of known size',
      packageEstimate([known(3 * GB), known(3 * GB, '2')], 5 * GB),
      ['package size: pass', 'about 6 GB in 2 packages'],
    ],
    [
      'an item too large for any package',
      packageEstimate([image('1', 50 * MB), image('2', 50 * MB + 1), image('3', MB)], 50 * MB),
      [
        'package size: refuse PACKAGE_TOO_LARGE',
        '"Image 2": 52428801 bytes',
        'needs a package of at most 50 MB',
        removeLarge,
      ],
    ],
    [
      'a service too large for any package',
      packageEstimate([known(6 * GB)], 5 * GB),
      [
        'package size: refuse PACKAGE_TOO_LARGE',
        '"Roads": 6 GB, judging by earlier packages',
        'needs a package of at most 5 GB',
        `${removeLarge} If they have become smaller, sync once with --full.`,
      ],
    ],
  ])('judges %s', (_, result, lines) => {
    expect(linesOf(result)).toEqual(lines);
  });

  it('passes requested items of the group, and reports several packages', () => {
    expect(requestedInGroup(['1', '2'], new Set(['1', '2', '3'])).verdict).toBe('pass');
    expect([packageEstimate(twelve, 5 * GB).isNews, packageEstimate(four, 5 * GB).isNews]).toEqual([
      true,
      undefined,
    ]);
  });
});
