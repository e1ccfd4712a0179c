import { afterEach, describe, expect, it } from '@jest/globals';
import { Rehearsal } from '../../support/rehearsal';

const unknownRoute = { error: { code: 404, message: 'Resource does not exist or is inaccessible.' } };

describe('a sync between portals that tell only what the interface documents', () => {
  let rehearsal: Rehearsal;
  afterEach(() => rehearsal.close());

  it('goes on without records of the groups and lists of servers, and accounts for every item', async () => {
    rehearsal = await Rehearsal.open({
      source: { strict: true },
      target: { strict: true },
      user: { username: 'admin', password: 'admin-pw' },
    });
    for (const { faults } of [rehearsal.source, rehearsal.target]) {
      faults.add(
        { match: { operation: 'group.read' }, do: unknownRoute },
        { match: { operation: 'portal.servers' }, do: { status: 404 } },
        { match: { operation: 'machines.*' }, do: { status: 503, retryAfter: 0 } },
      );
    }
    const { record, runId } = await rehearsal.sync();
    expect(record.error).toBeUndefined();
    expect(record.status).toBe('succeeded');
    const { unaccounted, skipped } = await rehearsal.ledger(runId);
    expect(unaccounted).toEqual([]);
    expect(skipped.find(({ type }) => type === 'Dashboard')?.reason).toMatch(/Dashboard/);
  });
});
