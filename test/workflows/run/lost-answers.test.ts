import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FaultAction, FaultRule } from '../../../src/simulator/faults';
import { Site } from '../../support/site';

const lost = (operation: string, params?: Record<string, string>): FaultRule => ({
  match: { method: 'POST', operation, params },
  nth: 1,
  when: 'after',
  do: 'reset',
});
const failing = (operation: string, action: FaultAction): FaultRule => ({
  match: { operation },
  nth: 1,
  do: action,
});

const rules = {
  source: [lost('group.export'), failing('group.content', 'reset')],
  target: [
    ...[lost('item.add'), lost('group.import', { previewOnly: 'false' }), lost('item.delete')],
    failing('item.read', 'expireToken'),
  ],
};

let site: Site;
beforeAll(async () => {
  site = await Site.open({
    source: { version: '11.3', faults: { rules: rules.source } },
    target: { faults: { rules: rules.target } },
  });
});
afterAll(() => site.close());

/** Each write and read alone, in all shapes of a sync, is in `npm run test:faults`. */
describe('sync over a bad connection', () => {
  it('repeats failed reads, and no write that the portal has done [P01]', async () => {
    const { record, runId } = await site.sync();
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'changed',
      verification: { notChecked: [], findings: [] },
    });
    const requests = [...site.source.requests(), ...site.target.requests()];
    const posts = (operation: string): number =>
      requests.filter(
        (request) => request.operation === operation && request.params['previewOnly'] !== 'true',
      ).length;
    expect([posts('group.export'), posts('group.import'), posts('item.add')]).toEqual([1, 1, 1]);
    const { imported, unaccounted } = await site.ledger(runId);
    expect([imported.length, unaccounted]).toEqual([8, []]);
    expect(site.packages()).toEqual([]);
    expect(requests.filter(({ fault }) => fault !== undefined)).toHaveLength(
      rules.source.length + rules.target.length,
    );
  });
});
