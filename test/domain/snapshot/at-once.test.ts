import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forget } from '../../../src/domain/snapshot/retention/forget';
import { Snapshots } from '../../../src/domain/snapshot/snapshots';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { keys } from '../../../src/store/keys';
import { packagesIn } from '../../../src/model/snapshot/snapshot';
import type { Store } from '../../../src/store/store';
import { isLong } from '../../support/long';
import { aRow, aSnapshot, AStore, sha256Of } from './a-store';

/** Orders of the steps that are tried; `npm run test:faults` tries more. */
const orders = isLong ? 200 : 20;

const steps = new Set<PropertyKey>(['names', 'readJson', 'writeJson', 'remove', 'move', 'openFile']);

/** A store whose every call waits for its turn, listings as a whole. */
function takingTurns(store: Store, scheduler: fc.Scheduler): Store {
  const turn = (name: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), name);
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = (args: unknown[]): unknown =>
        (value as (...args: unknown[]) => unknown).apply(target, args);
      if (name === 'list') {
        return async function* (...args: unknown[]): AsyncGenerator<unknown> {
          await turn(name);
          yield* call(args) as AsyncGenerator<unknown>;
        };
      }
      if (!steps.has(name)) return (...args: unknown[]): unknown => call(args);
      return async (...args: unknown[]): Promise<unknown> => {
        await turn(String(name));
        return await call(args);
      };
    },
  });
}

describe('forgetting a snapshot on which another one is just being built', () => {
  it('never takes a package away that the new one counts on, whoever is faster', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 4, max: 40 }), async (scheduler, later) => {
        const one = new AStore();
        const { package: old } = await one.take({ id: 'old', bytes: 'same' });
        const key = keys.snapshotPackage('new', 0);
        await one.writeFile(key, 'anew');
        const here = new Snapshots(takingTurns(one.store, scheduler));
        const elsewhere = new Snapshots(takingTurns(one.store, scheduler));
        const added = { key, sizeBytes: 4, sha256: sha256Of('anew') };
        const begun = async (): Promise<void> => {
          for (let turn = 0; turn < later; turn += 1) await scheduler.schedule(Promise.resolve(), 'later');
        };
        const built = async (): Promise<void> => {
          await begun();
          const more = await here.countOn('new', [old!]);
          await here.commit({ ...aSnapshot, id: 'new', runId: 'new', package: added, more }, [aRow('a')]);
        };
        await scheduler.waitFor(
          Promise.all([built(), forget(elsewhere, ['old'], { openRuns: new Set(['new']) })]),
        );
        // It holds both packages, or knew in time that one goes.
        expect(await verifySnapshot(one.snapshots, 'new')).toMatchObject({ problems: [] });
        await forget(one.snapshots, [], { openRuns: new Set() });
        expect(await one.keys('stored/')).toHaveLength(packagesIn(await one.snapshots.read('new')).length);
      }),
      { numRuns: orders },
    );
  });
});

describe('forgetting a snapshot while another with the same bytes is being made', () => {
  it('never takes the package of the new one away, whoever is faster', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 4, max: 40 }), async (scheduler, later) => {
        const one = new AStore();
        await one.take({ id: 'old', bytes: 'same' });
        const key = keys.snapshotPackage('new', 0);
        await one.writeFile(key, 'same');
        const here = new Snapshots(takingTurns(one.store, scheduler));
        const elsewhere = new Snapshots(takingTurns(one.store, scheduler));
        const packaged = { key, sizeBytes: 4, sha256: sha256Of('same') };
        const made = { ...aSnapshot, id: 'new', runId: 'new', package: packaged };
        // Committing takes fewer steps, so it begins later.
        const begun = async (): Promise<void> => {
          for (let turn = 0; turn < later; turn += 1) await scheduler.schedule(Promise.resolve(), 'later');
        };
        const work = Promise.all([
          begun().then(() => here.commit(made, [aRow('a')])),
          forget(elsewhere, ['old'], { openRuns: new Set(['new']) }),
        ]);
        await scheduler.waitFor(work);
        expect(await verifySnapshot(one.snapshots, 'new')).toMatchObject({ bytes: 4, problems: [] });
        // Whatever is left over goes with the next one.
        await forget(one.snapshots, [], { openRuns: new Set() });
        expect(await one.keys('stored/')).toHaveLength(1);
        expect(await one.keys('going/')).toEqual([]);
      }),
      { numRuns: orders },
    );
  });
});
