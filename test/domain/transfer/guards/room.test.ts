import { describe, expect, it } from '@jest/globals';
import { storeRoom, type StoreToCheck } from '../../../../src/domain/transfer/guards/room';
import type { ErrorCode } from '../../../../src/model/errors/error-codes';
import { PortolanError } from '../../../../src/model/errors/errors';

const GB = 1024 ** 3;

const store = (free: number | undefined, fault?: ErrorCode): StoreToCheck => ({
  where: 's3://backups',
  check: () => (fault ? Promise.reject(new PortolanError(fault, 'it is so')) : Promise.resolve()),
  room: () => Promise.resolve(free),
});

describe('the guard of our own store', () => {
  it('passes where there is room', async () => {
    expect(await storeRoom(store(12 * GB), GB)).toEqual({
      name: 'store',
      verdict: 'pass',
      saw: '12 GB free',
    });
  });

  it('refuses where there is too little', async () => {
    expect(await storeRoom(store(1.5 * GB), 2 * GB)).toEqual({
      name: 'store',
      verdict: 'refuse',
      saw: '1.5 GB free',
      needs: '2 GB free in the store of packages',
      todo: 'Free disk space in the store, or choose another store in portolan.yaml.',
      code: 'STORE_FULL',
    });
  });

  it('passes where there is no bound', async () => {
    expect(await storeRoom(store(undefined), GB)).toEqual({
      name: 'store',
      verdict: 'pass',
      saw: 's3://backups is readable and writable, and unlimited',
    });
  });

  it('refuses a store that denies something, before anything is written elsewhere', async () => {
    expect(await storeRoom(store(12 * GB, 'STORE_DENIED'), GB)).toEqual({
      name: 'store',
      verdict: 'refuse',
      saw: 'it is so',
      needs: 'a store that can be written, read, listed and deleted from',
      todo: "Grant the store's account this permission, or use another store.",
      code: 'STORE_DENIED',
    });
  });

  it('leaves to be tried again what goes away by itself', async () => {
    await expect(storeRoom(store(12 * GB, 'STORE_UNREACHABLE'), GB)).rejects.toThrow('STORE_UNREACHABLE');
  });
});
