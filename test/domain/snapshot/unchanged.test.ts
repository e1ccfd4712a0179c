import { describe, expect, it } from '@jest/globals';
import type { LiveRow, SnapshotLayer } from '../../../src/model/snapshot/snapshot';
import { whyChanged } from '../../../src/domain/snapshot/compare-rows';

const roads: SnapshotLayer = { layerId: 0, name: 'Roads', count: 3, lastEditDate: 1000 };
const stops: SnapshotLayer = { layerId: 1, name: 'Stops', count: 5, lastEditDate: 2000 };
const map = { itemId: 'map', type: 'Web Map', title: 'Map', size: 20, modified: 5 };
const service = { itemId: 'service', type: 'Feature Service', title: 'Service', modified: 6, hosted: true };

const live = (layers: SnapshotLayer[] | undefined = [roads, stops]): LiveRow[] => [
  map,
  { ...service, layers },
];
const saved = (rows: LiveRow[] = live()) => rows.map((row) => ({ ...row, saved: 'package' as const }));
const withMap = (fields: Partial<LiveRow>): LiveRow[] => [{ ...map, ...fields }, live()[1]!];
const withService = (fields: Partial<LiveRow>): LiveRow[] => [map, { ...live()[1]!, ...fields }];
const withRoads = (fields: Partial<SnapshotLayer>) => live([{ ...roads, ...fields }, stops]);

const stands = { owner: 'ann', folder: 'f1', folderTitle: 'Maps', access: 'org', protected: false };

describe('a group is unchanged since a snapshot', () => {
  it.each([
    ['in whatever order items and layers are listed', live(), live([stops, roads]).reverse()],
    ['where a service has no size, or one of -1', withService({ size: -1 }), live()],
    ['where it was empty and is', [], []],
    ['where nobody asks how things stand', withMap({ placement: { owner: 'ann' } }), live()],
    [
      'whose owner is spelled in another case',
      withMap({ owner: 'Ann', placement: stands }),
      withMap({ owner: 'ann', placement: { ...stands, owner: 'ANN' } }),
    ],
    [
      'where things stand as they did, whatever their pictures are called',
      withMap({ placement: { ...stands, thumbnail: { path: 'a', sizeBytes: 1, sha256: 'x' } } }),
      withMap({ placement: stands }),
    ],
  ])('%s', (_, before, now) => {
    expect(whyChanged(saved(before), now)).toBeUndefined();
  });
});

describe('a group counts as changed since a snapshot', () => {
  const moved = (otherwise: Partial<typeof stands>): [LiveRow[], LiveRow[]] => [
    withMap({ placement: stands }),
    withMap({ placement: { ...stands, ...otherwise } }),
  ];
  it.each([
    ['an item came', '"Map" (map) is new in the group', [], [map]],
    ['an item took another’s place', '"Map" (map) is no longer', live(), withMap({ itemId: 'other' })],
    ['its title was changed', 'changed: title Map -> Plan', live(), withMap({ title: 'Plan' })],
    ['its address was changed', 'changed: url a -> b', withService({ url: 'a' }), withService({ url: 'b' })],
    ['its address is unknown now', 'address unknown now', withService({ url: 'a' }), live()],
    [
      'its fields were changed',
      'changed: layer 0 fields a -> b',
      withRoads({ schema: 'a' }),
      withRoads({ schema: 'b' }),
    ],
    ['its fields are unknown now', 'fields unknown now', withRoads({ schema: 'a' }), live()],
    ['an item was changed', '"Map" (map) changed: modified', live(), withMap({ modified: 7 })],
    [
      'an item is shown to others',
      'has another owner, folder, sharing level or delete protection',
      ...moved({ access: 'public' }),
    ],
    [
      'an item was moved',
      'has another owner, folder, sharing level or delete protection',
      ...moved({ folder: '/', folderTitle: undefined }),
    ],
    [
      'its folder got another title',
      'has another owner, folder, sharing level or delete protection',
      ...moved({ folderTitle: 'Old maps' }),
    ],
    [
      'an item was protected',
      'has another owner, folder, sharing level or delete protection',
      ...moved({ protected: true }),
    ],
    [
      'it was not noted how it stood',
      'has another owner, folder, sharing level or delete protection',
      live(),
      withMap({ placement: stands }),
    ],
    ['an item’s size changed', '"Map" (map) changed: size 20 -> 21', live(), withMap({ size: 21 })],
    ['an item’s size is not told any more', 'size unknown now', live(), withMap({ size: undefined })],
    [
      'an item had no time then',
      'time of the last change unknown in the snapshot',
      withMap({ modified: undefined }),
      live(),
    ],
    [
      'an item has no time on either side',
      'time of the last change unknown both times',
      withMap({ modified: undefined }),
      withMap({ modified: undefined }),
    ],
    [
      'features were edited',
      '"Service" (service) changed: layer 0 last edit 1970-01-01T00:00:01.000Z -> 1970-01-01T00:00:01.001Z',
      live(),
      withRoads({ lastEditDate: 1001 }),
    ],
    ['rows differ, whatever their date', 'changed: layer 0 rows 3 -> 4', live(), withRoads({ count: 4 })],
    [
      'a layer tells no edit now',
      'layer 0 "Roads": last edit unknown now',
      live(),
      withRoads({ lastEditDate: undefined }),
    ],
    ['a layer came', 'changed: layer 1 - -> Stops', live([roads]), live()],
    ['a layer took another’s place', 'changed: layer 0 Roads -> -', live(), withRoads({ layerId: 7 })],
    ['a layer is listed twice in another’s place', 'layers unknown now', live(), live([roads, roads])],
    ['layers cannot be read now', 'layers unknown now', live(), withService({ layers: undefined })],
    ['an item is hosted no more', 'changed: hosted yes -> no', live(), withService({ hosted: undefined })],
  ])('because %s', (_, because, before, now) => {
    expect(whyChanged(saved(before), now)).toContain(because);
  });
});
