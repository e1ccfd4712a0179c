import { describe, expect, it } from '@jest/globals';
import { type TargetItem, planRowFor } from '../../../src/domain/transfer/plan';
import type { PreviewRow } from '../../../src/model/transfer/plan';
import type { RouteOptions } from '../../../src/model/transfer/route';

const map: PreviewRow = { itemId: 'a', type: 'Web Map', title: 'Roads', exists: true, canImport: true };
const layer: PreviewRow = { ...map, type: 'Feature Service' };
const ours: TargetItem = { held: { type: 'Web Map', owner: 'sync' }, inGroup: true, username: 'sync' };
const oursLayer: TargetItem = { ...ours, held: { type: 'Feature Service', owner: 'sync' } };

const options = (more: Partial<RouteOptions>): RouteOptions => ({
  overwrite: false,
  data: 'keep',
  approval: 'none',
  take: [],
  planOnly: false,
  allowShrink: false,
  keepPackages: false,
  jobDeadlineMs: 0,
  limits: { packageBytes: 0, itemBytes: 0, freeDiskBytes: 0 },
  ...more,
});
const overwrite = options({ overwrite: true });

describe('a plan says of an item', () => {
  it.each([
    ['new on the target', { ...map, exists: false }, { inGroup: false }, options({}), 'create'],
    [
      'new, but not importable',
      { ...map, exists: false, canImport: false },
      { inGroup: false },
      options({}),
      'blocked',
    ],
    ['that exists, by default', map, ours, options({}), 'keep'],
    [
      'that exists and cannot be imported, by default',
      { ...map, canImport: false },
      ours,
      options({}),
      'keep',
    ],
    ['that exists, overwriting', map, ours, overwrite, 'overwrite'],
    ['of ours in another case, overwriting', map, { ...ours, username: 'SYNC' }, overwrite, 'overwrite'],
    [
      'that exists and cannot be imported, overwriting',
      { ...map, canImport: false },
      ours,
      overwrite,
      'blocked',
    ],
    ['of hosted data that exists, overwriting', layer, oursLayer, overwrite, 'keep'],
    [
      'of hosted data that exists, replacing data',
      layer,
      oursLayer,
      options({ overwrite: true, data: 'replace' }),
      'overwrite',
    ],
    [
      'that belongs to somebody else, by default',
      map,
      { ...ours, held: { type: 'Web Map', owner: 'm.lee' } },
      options({}),
      'keep',
    ],
    [
      'that belongs to somebody else, overwriting',
      map,
      { ...ours, held: { type: 'Web Map', owner: 'm.lee' } },
      overwrite,
      'blocked',
    ],
    [
      'that belongs to whom the run would give it, overwriting',
      map,
      { ...ours, held: { type: 'Web Map', owner: 'm.lee' }, newOwner: 'M.Lee' },
      overwrite,
      'overwrite',
    ],
    [
      'that belongs to somebody else than whom the run would give it, overwriting',
      map,
      { ...ours, held: { type: 'Web Map', owner: 'm.lee' }, newOwner: 'a.ito' },
      overwrite,
      'blocked',
    ],
    ['outside the target group, by default', map, { ...ours, inGroup: false }, options({}), 'blocked'],
    ['of another type', map, { ...ours, held: { type: 'CSV', owner: 'sync' } }, options({}), 'blocked'],
    ['that this account cannot read', map, { inGroup: false }, options({}), 'blocked'],
    [
      'outside the group, taken by name',
      map,
      { ...ours, inGroup: false },
      options({ overwrite: true, take: ['a'] }),
      'overwrite',
    ],
    [
      'outside the group, taken by name but without overwriting',
      map,
      { ...ours, inGroup: false },
      options({ take: ['a'] }),
      'keep',
    ],
    ['that a stage holds, by default', map, { ...ours, heldBack: 'held' }, options({}), 'keep'],
    ['that a stage holds, overwriting', map, { ...ours, heldBack: 'held' }, overwrite, 'blocked'],
    [
      'that a stage holds, outside the group and taken by name',
      map,
      { ...ours, inGroup: false, heldBack: 'held' },
      options({ overwrite: true, take: ['a'] }),
      'blocked',
    ],
  ] as const)('%s', (_, row, holding, chosen, action) => {
    expect(planRowFor(row, holding, chosen).action).toBe(action);
  });
});
