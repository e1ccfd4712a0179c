import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { emptyGroupId } from '../../../src/simulator/seed/seeds';
import { Rehearsal } from '../../support/rehearsal';

const MB = 1024 ** 2;
/** Each fills a package that goes up in two parts and a short one. */
const size = 64 * MB;
const packageBytes = 80 * MB;

describe('several packages that go up in parts', () => {
  let rehearsal: Rehearsal;
  beforeAll(async () => {
    const groups = { source: emptyGroupId, target: emptyGroupId };
    rehearsal = await Rehearsal.open({ source: { seed: 'empty' }, target: { seed: 'empty' }, groups });
    const seed = new SeedBuilder(rehearsal.source.world);
    for (const number of [1, 2, 3]) {
      const id = `b${String(number).repeat(31)}`;
      const name = `mosaic-${number}.tif`;
      const fields = { id, title: `Mosaic ${number}`, type: 'Image', name, groups: [emptyGroupId] };
      seed.generated(fields, size + number, number);
    }
  });
  afterAll(() => rehearsal.close());

  it('are gone on with where the parts of one were refused, and no part that the target holds is sent again', async () => {
    const { target } = rehearsal;
    target.faults.add({
      match: { operation: 'item.addPart', params: { partNum: '2' } },
      nth: 2,
      do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
    });
    const { limits } = rehearsal.route().options;
    const parked = await rehearsal.sync(rehearsal.route({}, { limits: { ...limits, packageBytes } }));
    expect(parked.record).toMatchObject({
      status: 'parked',
      error: { code: 'PERMISSION_DENIED' },
      parked: { phase: 'upload' },
    });
    const { record, runId } = await rehearsal.resume(parked.handle);
    expect(record.error).toBeUndefined();
    expect(record).toMatchObject({ status: 'succeeded', package: { parts: 3 }, plan: { create: 3 } });
    expect((await rehearsal.ledger(runId)).imported).toHaveLength(3);
    const sent = target
      .requests()
      .filter(({ operation, errorCode }) => operation === 'item.addPart' && errorCode === undefined)
      .map(({ path, params }) => `${path} ${params['partNum'] ?? ''}`);
    expect(sent).toHaveLength(9);
    expect(new Set(sent).size).toBe(9);
    expect(rehearsal.packages()).toEqual([]);
  });
});
