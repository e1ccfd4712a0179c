import { describe, expect, it } from '@jest/globals';
import {
  bytesNeeded,
  sharesOfPlan,
  storeRoom,
  type StoreToCheck,
} from '../../../../src/domain/transfer/guards/room';
import type { ErrorCode } from '../../../../src/model/errors/error-codes';
import { PortolanError } from '../../../../src/model/errors/errors';
import { linesOf } from '../facts';

const MB = 1024 ** 2;
const GB = 1024 ** 3;

const image = { itemId: 'a', type: 'Image', action: 'create', size: 3 * GB } as const;
const csv = {
  itemId: 'b',
  type: 'CSV',
  action: 'overwrite',
  size: MB,
  target: { size: 4 * MB, inGroup: true },
} as const;
const kept = { ...csv, action: 'keep', size: GB } as const;
const layer = { ...csv, type: 'Feature Service', size: 0, target: { inGroup: true } };
const newLayer = { ...layer, action: 'create', size: -1 } as const;

describe('the disk that a plan needs on the target', () => {
  it.each([
    ['files in and outside its safeguard', [image, csv, kept], 4 * GB + MB, 3 * GB + MB, 4 * MB],
    ['hosted layers as the rest of the package', [image, layer, newLayer], 5 * GB, 5 * GB, GB],
    // A compressed package may weigh less than its items.
    ['hosted layers of a small package', [image, layer], 2 * GB, 3 * GB, 0],
    [
      'items outside the group, which are copied and not exported',
      [{ ...csv, target: { size: GB, inGroup: false } }],
      MB,
      MB,
      0,
    ],
    ['items that only the target holds', [{ ...image, action: 'extra' as const }], MB, 0, 0],
  ])('counts %s', (_, rows, packageBytes, unpacked, safeguard) => {
    expect(sharesOfPlan(rows, packageBytes)).toEqual({ upload: 0, unpacked, safeguard });
  });

  it('is what the portal keeps free and stores before the job, or what it unpacks', () => {
    expect(bytesNeeded(10 * GB)).toBe(10 * GB);
    expect(bytesNeeded(10 * GB, { upload: 2 * GB })).toBe(12 * GB);
    expect(bytesNeeded(10 * GB, { safeguard: GB, unpacked: 4 * GB })).toBe(11 * GB);
    expect(bytesNeeded(GB, { safeguard: GB, unpacked: 4 * GB })).toBe(5 * GB);
  });
});

describe('the guard of the store', () => {
  const guarded = (free: number | undefined, fault?: ErrorCode) => {
    const store: StoreToCheck = {
      where: 's3://backups',
      check: () => (fault ? Promise.reject(new PortolanError(fault, 'it is so')) : Promise.resolve()),
      room: async () => free,
    };
    return storeRoom(store, 2 * GB);
  };

  it.each<[string, number | undefined, ErrorCode | undefined, string[]]>([
    ['a store with room', 12 * GB, undefined, ['store: pass', '12 GB free']],
    [
      'an unlimited store',
      undefined,
      undefined,
      ['store: pass', 's3://backups is readable and writable, and unlimited'],
    ],
    [
      'a full store',
      1.5 * GB,
      undefined,
      [
        'store: refuse STORE_FULL',
        '1.5 GB free',
        'needs 2 GB free in the store of packages',
        'Free disk space in the store, or choose another store in portolan.yaml.',
      ],
    ],
    [
      'a store that denies something',
      12 * GB,
      'STORE_DENIED',
      [
        'store: refuse STORE_DENIED',
        'it is so',
        'needs a store that can be written, read, listed and deleted from',
        "Grant the store's account this permission, or use another store.",
      ],
    ],
  ])('judges %s', async (_, free, fault, lines) => {
    expect(linesOf(await guarded(free, fault))).toEqual(lines);
  });

  it('leaves a passing fault to a retry', async () => {
    await expect(guarded(12 * GB, 'STORE_UNREACHABLE')).rejects.toThrow('STORE_UNREACHABLE');
  });
});
