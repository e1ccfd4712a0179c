import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultRule } from '../../src/simulator/faults';
import { Rehearsal, type RehearsalOptions } from './rehearsal';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

const imports = (): number =>
  rehearsal.target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .length;

const refusedImport: FaultRule = {
  match: { operation: 'group.import', params: { previewOnly: 'false' } },
  times: 1,
  do: { error: { code: 403, message: 'You do not have permissions to perform this operation.' } },
};

describe('a run whose import cannot go on', () => {
  it('is parked with all that a person needs, and goes on to its end when it is resumed', async () => {
    await open({ target: { faults: { rules: [refusedImport] } } });
    const { handle, record } = await rehearsal.sync();
    expect(record).toMatchObject({
      status: 'parked',
      target: 'untouched',
      error: { code: 'PERMISSION_DENIED', origin: 'target' },
      parked: { phase: 'import', code: 'PERMISSION_DENIED', count: 1 },
    });
    expect(record.parked?.commands[0]).toMatch(/^portolan run resume \w+$/);
    expect(record.parked?.held.join()).toContain('package');
    const resumed = await rehearsal.resume(handle);
    expect(resumed.record).toMatchObject({ status: 'succeeded', target: 'changed' });
    expect(resumed.record.parked).toBeUndefined();
    expect(resumed.record.actions).toMatchObject([
      { what: 'start', identity: 'claimed' },
      { what: 'resume', who: 'a@b', reason: 'mended', identity: 'claimed' },
    ]);
    expect(imports()).toBe(2);
    expect(rehearsal.packages()).toEqual([]);
  });
});
