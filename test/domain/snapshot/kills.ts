import { keys } from '../../../src/store/keys';
import { describe, expect, it } from '@jest/globals';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { packagesIn } from '../../../src/model/snapshot/snapshot';
import { aRow, type AStore } from './a-store';

const rows = [aRow('a'), aRow('b'), aRow('c')];
const none: ReadonlySet<string> = new Set();
const later = { openRuns: none, now: Date.now() + 2 * 86_400_000 };

/** That every snapshot which is listed is whole. @returns their IDs */
export async function allWhole(one: AStore) {
  const { readable, unreadable } = await listSnapshots(one.snapshots);
  expect(unreadable).toEqual([]);
  const ids = readable.map(({ manifest }) => manifest.id);
  await one.requireIntact(...ids);
  return ids.sort();
}

/** That nothing lies there but what the snapshots name, once somebody tidies. */
export async function nothingElse(one: AStore) {
  for (const days of [1, 3]) {
    const now = Date.now() + days * 86_400_000;
    await one.forget([], { openRuns: none, now });
  }
  const { readable } = await listSnapshots(one.snapshots);
  const named = new Set(readable.flatMap(({ manifest }) => packagesIn(manifest).map(({ key }) => key)));
  expect(await one.packages()).toEqual([...named].sort());
}

/** Runs a step of a protocol, killed before each of its writes in turn, until it is through. */
async function killedAtEach(run: (steps: number) => Promise<boolean>) {
  for (let steps = 0; ; steps += 1) {
    if (!(await run(steps))) {
      expect(steps).toBeGreaterThan(2);
      return;
    }
  }
}

const isKilled = (work: Promise<unknown>) =>
  work.then(
    () => false,
    (thrown: Error) => {
      if (thrown.message !== 'killed') throw thrown;
      return true;
    },
  );

/** What holds of snapshots in a store of any kind, wherever a process is killed. */
export function holdsWhenKilled(where: string, open: () => Promise<AStore>) {
  describe(`in ${where}`, () => {
    it('a killed snapshot is not listed, deletes nothing, and is completed by a repeat', async () => {
      await killedAtEach(async (steps) => {
        const one = await open();
        const full = await one.take({ id: 'old', bytes: 'all' }, rows);
        const made = { rows, changed: ['b'] };
        const died = await isKilled(one.takeSince('new', full, made, one.dyingAt(steps)));
        // Killed after its manifest, it only lacks its place in the index.
        const isMade = (await one.keys()).includes(keys.snapshotManifest('new'));
        expect(isMade || died).toBe(true);
        expect(await allWhole(one)).toEqual(isMade ? ['new', 'old'] : ['old']);
        // Whoever tidies meanwhile takes nothing that an open run may need.
        await one.forget([], { ...later, openRuns: new Set(['new']) });
        await one.takeSince('new', full, made);
        expect(await allWhole(one)).toEqual(['new', 'old']);
        await nothingElse(one);
        return died;
      });
    });

    it('a killed forget leaves no half snapshot, and the next one deletes the rest [P09]', async () => {
      await killedAtEach(async (steps) => {
        const one = await open();
        const full = await one.take({ id: 'old', bytes: 'all' }, [
          ...rows,
          await one.copy('old', 'd', 'data'),
        ]);
        const mid = await one.takeSince('mid', full, { rows, changed: ['b'] });
        await one.takeSince('new', mid, { rows, changed: ['b'] });
        const died = await isKilled(one.forget(['old', 'mid'], undefined, one.dyingAt(steps)));
        expect(await allWhole(one)).toContain('new');
        const left = (await one.snapshots.ids()).filter((id) => id !== 'new');
        await one.forget(left);
        await nothingElse(one);
        expect(await allWhole(one)).toEqual(['new']);
        expect(await one.keys('snapshots/mid/')).toEqual([]);
        expect(await one.packages()).toEqual(['new', 'old'].map((id) => `snapshots/${id}/package-1.epk`));
        return died;
      });
    });

    it('a repeated forget deletes a package with its last snapshot', async () => {
      await killedAtEach(async (steps) => {
        const one = await open();
        const full = await one.take({ id: 'old', bytes: 'all' }, rows);
        await one.takeSince('new', full, { rows, changed: ['b'] });
        await one.forget(['old']);
        const died = await isKilled(one.forget(['new'], undefined, one.dyingAt(steps)));
        await one.forget(await one.snapshots.ids());
        await nothingElse(one);
        expect(await one.keys('snapshots/')).toEqual([]);
        return died;
      });
    });
  });
}
