import { afterEach, describe, expect, it } from '@jest/globals';
import { manyGroupId } from '../../../src/simulator/seed/seeds';
import { Rehearsal } from '../../support/rehearsal';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

const sizeOf = async (items: number): Promise<{ events: number; bytes: number }> => {
  rehearsal = await Rehearsal.open({
    source: { seed: 'many', seedItems: items },
    target: { seed: 'empty' },
    groups: { source: manyGroupId, target: 'e0000000000000000000000000000001' },
  });
  const { record, handle } = await rehearsal.sync();
  expect(record.error).toBeUndefined();
  expect(record.status).toBe('succeeded');
  const { historyLength, historySize } = await handle.describe();
  return { events: historyLength, bytes: historySize ?? 0 };
};

describe('the history of an undisturbed sync', () => {
  it('stays small where it overwrites, with a safeguard and an upload in parts', async () => {
    rehearsal = await Rehearsal.open({ fullSize: true });
    const { record, handle } = await rehearsal.sync(rehearsal.route({ overwrite: true, data: 'replace' }));
    expect(record.status).toBe('succeeded');
    const { historyLength, historySize } = await handle.describe();
    expect(historyLength).toBeLessThan(250);
    expect(historySize).toBeLessThan(100_000);
  });

  it('stays small, and as small for 2,000 items as for 10', async () => {
    const few = await sizeOf(10);
    await rehearsal.close();
    const many = await sizeOf(2_000);
    expect(few.events).toBeLessThan(250);
    expect(few.bytes).toBeLessThan(100_000);
    expect(many.events).toBeLessThanOrEqual(few.events * 1.1);
    expect(many.bytes).toBeLessThanOrEqual(few.bytes * 1.1);
  }, 200_000);
});
