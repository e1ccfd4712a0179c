import { describe, expect, it } from '@jest/globals';
import { bytesNeeded, sharesOfPlan } from '../../../../src/domain/transfer/guards/room';

const MB = 1024 ** 2;
const GB = 1024 ** 3;

const file = { itemId: 'a', type: 'Image' };
const image = { ...file, action: 'create', size: 3 * GB } as const;
const csv = {
  ...file,
  itemId: 'b',
  action: 'overwrite',
  size: MB,
  target: { size: 4 * MB, inGroup: true },
} as const;
const service = { itemId: 'c', type: 'Feature Service' };
const layer = { ...service, action: 'overwrite', size: 0, target: { inGroup: true } } as const;
const kept = { ...file, itemId: 'd', action: 'keep', size: GB, target: { size: GB, inGroup: true } } as const;

describe('what a run will still put on its target', () => {
  it('is what the import unpacks, and what the safeguard saves as the target has it', () => {
    expect(sharesOfPlan([image, csv, kept], 4 * GB + MB)).toEqual({
      upload: 0,
      unpacked: 3 * GB + MB,
      safeguard: 4 * MB,
    });
  });

  it('counts a hosted layer as what the package weighs beyond all else', () => {
    const createdLayer = { ...service, itemId: 'e', action: 'create', size: -1 } as const;
    expect(sharesOfPlan([image, layer, createdLayer], 5 * GB)).toEqual({
      upload: 0,
      unpacked: 5 * GB,
      safeguard: GB,
    });
    // A package that is compressed may weigh less than its items.
    expect(sharesOfPlan([image, layer], 2 * GB)).toMatchObject({ unpacked: 3 * GB, safeguard: 0 });
  });

  it('leaves out of the safeguard what is outside of the group, which is copied and not exported', () => {
    const outside = { ...csv, target: { size: GB, inGroup: false } };
    expect(sharesOfPlan([outside], MB)).toMatchObject({ safeguard: 0, unpacked: MB });
  });

  it('counts nothing of what only the target holds', () => {
    expect(sharesOfPlan([{ ...file, action: 'extra', size: 9 * GB }], MB)).toEqual({
      upload: 0,
      unpacked: 0,
      safeguard: 0,
    });
  });
});

describe('the room that must be free', () => {
  it('is what the portal wants before a job, and on top of it what lies there by then', () => {
    expect(bytesNeeded(10 * GB)).toBe(10 * GB);
    expect(bytesNeeded(10 * GB, { upload: 2 * GB })).toBe(12 * GB);
    expect(bytesNeeded(10 * GB, { safeguard: GB, unpacked: 4 * GB })).toBe(11 * GB);
  });

  it('is what an import unpacks where that is more than the portal wants', () => {
    expect(bytesNeeded(GB, { safeguard: GB, unpacked: 4 * GB })).toBe(5 * GB);
  });
});
