import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Rehearsal } from '../../support/rehearsal';

describe('a sync', () => {
  let rehearsal: Rehearsal;

  beforeAll(async () => {
    rehearsal = await Rehearsal.open();
  });
  afterAll(() => rehearsal.close());

  it('carries a group to the target, keeps what exists there, and accounts for every item', async () => {
    const { record, runId } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    const ledger = await rehearsal.ledger(runId);
    expect(ledger.unaccounted).toEqual([]);
    expect(rehearsal.packages()).toEqual([]);
  });
});
