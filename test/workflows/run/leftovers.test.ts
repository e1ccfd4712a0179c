import { afterEach, describe, expect, it } from '@jest/globals';
import { keepNote } from '../../../src/activities/transfer/packages';
import { keys } from '../../../src/store/keys';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { itLong } from '../../support/long';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
afterEach(() => rehearsal.close());

async function stored(prefix: string): Promise<string[]> {
  const found = [];
  for await (const key of rehearsal.store.list(prefix)) found.push(key);
  return found;
}

describe('what a run leaves behind', () => {
  it('in the store is its record, plans, ledger and verification, and on the portals are its packages where the route asks to keep them', async () => {
    await open({ source: { version: '11.3' } });
    const { runId, record } = await rehearsal.sync(rehearsal.route({}, { keepPackages: true }));
    expect(record.status).toBe('succeeded');
    expect(rehearsal.packages()).toHaveLength(2);
    expect(await stored('packages/')).toEqual([]);
    const names = (await stored(`runs/${runId}/`)).map((key) => key.replace(`runs/${runId}/`, ''));
    expect(names).toEqual([
      'created.json',
      'ledger.json',
      'plan-1.json',
      'plan-2.json',
      'record.json',
      'start.json',
      'verification.json',
    ]);
  });

  it('in the store is the package of a run that failed, for a week', async () => {
    await open({ target: { finalStatus: { import: 'failed' } } });
    const unattended = { parks: false };
    const { runId } = await rehearsal.sync(rehearsal.route(), unattended);
    const kept = [keys.package(runId, 0), keys.packageNote(runId)];
    expect(await stored('packages/')).toEqual(kept);
    const note = await rehearsal.store.readJson(keys.packageNote(runId), keepNote);
    expect(note?.until).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000);
    const again = await rehearsal.sync(rehearsal.route({ overwrite: true }), unattended);
    await rehearsal.store.writeJson(keys.packageNote(again.runId), { until: Date.now() - 1 });
    const last = await rehearsal.sync(rehearsal.route({}, { planOnly: true }));
    expect(last.record.status).toBe('succeeded');
    expect(await stored('packages/')).toEqual(kept);
  });

  itLong(
    'on the portals is nothing after an export that failed by its word, and made a package without our name',
    async () => {
      await open({
        source: { version: '10.9.1', finalStatus: { export: 'failed' }, packageFolder: 'Exports' },
      });
      const { record } = await rehearsal.sync();
      expect(record).toMatchObject({ status: 'failed', error: { code: 'JOB_FAILED' } });
      expect(rehearsal.packages()).toEqual([]);
    },
  );

  it('is looked for in the folders of an account only where what a run made is not in the root', async () => {
    /** How often a second run looks into a folder, of which the first import has made one on the target. */
    const looks = async (options: RehearsalOptions): Promise<number> => {
      await open(options);
      const looked = (): number =>
        [rehearsal.source, rehearsal.target]
          .flatMap((portal) => portal.requests())
          .filter(({ path }) => /\/content\/users\/[^/]+\/[0-9a-f]{32}$/.test(path)).length;
      await rehearsal.sync();
      const before = looked();
      const { record } = await rehearsal.sync(rehearsal.route({ overwrite: true }));
      expect([record.status, rehearsal.packages()]).toEqual(['succeeded', []]);
      const after = looked();
      await rehearsal.close();
      return after - before;
    };
    expect(await looks({})).toBe(0);
    expect(await looks({ source: { packageFolder: 'Exports' } })).toBeGreaterThan(0);
    await open();
  });

  itLong('on the portals is nothing after a plan that was only looked at', async () => {
    await open();
    const { record } = await rehearsal.sync(rehearsal.route({ planOnly: true, overwrite: true }));
    expect(record).toMatchObject({
      status: 'succeeded',
      target: 'untouched',
      plan: { create: 8, overwrite: 2 },
    });
    expect(rehearsal.packages()).toEqual([]);
  });
});
