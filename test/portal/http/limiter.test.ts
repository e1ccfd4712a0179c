import { describe, expect, it } from '@jest/globals';
import { mapLimited } from '../../../src/model/map-limited';
import { limiter } from '../../../src/portal/http/limiter';

/** A task that counts how many of its kind run at once. */
function gauge() {
  let running = 0;
  const seen = { most: 0, order: [] as number[] };
  const task = (i: number) => async () => {
    running += 1;
    seen.most = Math.max(seen.most, running);
    seen.order.push(i);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (i === 3) throw new Error('third');
    return i;
  };
  return { seen, task };
}

describe('the limit of concurrent requests', () => {
  it('keeps the order, and survives a failed task', async () => {
    const { seen, task } = gauge();
    const limited = limiter(4);
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => limited(task(i))));
    expect(seen.most).toBe(4);
    expect(seen.order).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('returns the results of a list in its order', async () => {
    const { seen, task } = gauge();
    expect(await mapLimited([9, 8, 7, 6, 5], 2, (i) => task(i)())).toEqual([9, 8, 7, 6, 5]);
    expect(seen.most).toBe(2);
  });

  it('starts nothing new when a task of a list has failed', async () => {
    const { seen, task } = gauge();
    await expect(mapLimited([1, 2, 3, 4, 5, 6, 7, 8, 9], 1, (i) => task(i)())).rejects.toThrow('third');
    expect(seen.order).toEqual([1, 2, 3]);
  });
});
