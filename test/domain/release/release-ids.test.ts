import { describe, expect, it } from '@jest/globals';
import { releaseIds } from '../../../src/domain/release/release-ids';
import type { ReleaseManifest } from '../../../src/model/release/release';
import { keys } from '../../../src/store/keys';
import { AStore } from '../snapshot/a-store';

const now = Date.parse('2026-11-22T09:12:00Z');
const pipeline = 'transport';
const runs = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `release-transport-${letter}`);
const idOf = (number: number): string => `transport-2026.11.22-${number}`;

const makes = ({ snapshots }: AStore, runId: string, claimed: string): Promise<ReleaseManifest> =>
  snapshots.releases.commit(
    {
      ...{ runId, pipeline, who: 'a@b', groups: [] },
      source: { stage: 'dev', portal: 'dev', url: 'https://dev.example.com/portal', version: '' },
    },
    claimed,
    now,
  );

describe('the id of a release', () => {
  it('is the next of its day, the same for a run that asks again, and free once that gives it back', async () => {
    const { store } = new AStore();
    const ids = releaseIds(store);
    expect(await ids.claim({ runId: 'a', pipeline, now })).toBe(idOf(1));
    expect(await ids.claim({ runId: 'a', pipeline, now })).toBe(idOf(1));
    expect(await ids.claim({ runId: 'b', pipeline, now })).toBe(idOf(2));
    await ids.giveBack(idOf(1), 'a');
    expect(await ids.claim({ runId: 'c', pipeline, now })).toBe(idOf(1));
  });

  it('is not that of a release that somebody altered', async () => {
    const one = new AStore();
    await makes(one, 'another', idOf(1));
    one.flip(keys.releaseManifest(idOf(1)), 60);
    expect(await releaseIds(one.store).claim({ runId: 'a', pipeline, now })).toBe(idOf(2));
  });

  it('is never that of two, however many settle for one in the same moment [P11]', async () => {
    for (let times = 0; times < 3; times += 1) {
      const one = new AStore();
      await makes(one, 'another', idOf(1));
      const made = await Promise.all(runs.map((runId) => makes(one, runId, idOf(1))));
      expect(new Set(made.map(({ id }) => id)).size).toBe(runs.length);
      const { readable } = await one.snapshots.releases.list();
      expect(readable.map(({ manifest }) => manifest.runId).sort()).toEqual(['another', ...runs]);
    }
  });

  it('is not that of a release that was made, and whose claim went, between two looks', async () => {
    const one = new AStore();
    const [first, second] = runs as [string, string];
    const ids = releaseIds(one.store);
    await ids.claim({ runId: first, pipeline, now });
    const { names, readJson } = one.store;
    // The other release is made just when this one has looked for the first time.
    let isMade = false;
    const between = async (): Promise<void> => {
      if (isMade) return;
      isMade = true;
      await makes(one, first, idOf(1));
    };
    Object.assign(one.store, {
      async names(prefix: string) {
        const found = await names.call(one.store, prefix);
        await between();
        return found;
      },
      async readJson(...args: Parameters<typeof readJson>) {
        const found = await readJson.apply(one.store, args);
        if (args[0] === keys.releaseManifest(idOf(1))) await between();
        return found;
      },
    });
    expect(await releaseIds(one.store).settle({ runId: second, pipeline, now, claimed: idOf(1) })).toBe(
      idOf(2),
    );
  });
});
