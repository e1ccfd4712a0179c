import { describe, expect, it } from '@jest/globals';
import { storeRoom } from '../../../src/checks/guards/room';

const GB = 1024 ** 3;

describe('the guard of our own store', () => {
  it('passes where there is room', async () => {
    expect(await storeRoom(() => Promise.resolve(12 * GB), GB)).toEqual({
      name: 'store',
      verdict: 'pass',
      saw: '12 GB free',
    });
  });

  it('refuses where there is too little', async () => {
    expect(await storeRoom(() => Promise.resolve(1.5 * GB), 2 * GB)).toEqual({
      name: 'store',
      verdict: 'refuse',
      saw: '1.5 GB free',
      needs: '2 GB free in the store of packages',
      todo: 'Make room where the store lies, or name another place for it in portolan.yaml.',
      code: 'STORE_FULL',
    });
  });

  it('warns where the store cannot tell', async () => {
    expect((await storeRoom(() => Promise.resolve(undefined), GB)).verdict).toBe('unknown');
  });
});
