import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RetentionPolicy, SnapshotProof } from '../../../src/model/snapshot/snapshot';
import { findSnapshot } from '../../../src/domain/resolve-id';
import { type KnownSnapshot, lastGood } from '../../../src/domain/snapshot/list-snapshots';
import { planByIds } from '../../../src/domain/snapshot/retention/forget';
import { decide, type RetentionContext } from '../../../src/domain/snapshot/retention/retention';
import { routeStates } from '../../../src/domain/snapshot/retention/route-state';
import { aKnown, AStore } from './a-store';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.parse('2026-11-21T12:00:00Z');
const quiet: RetentionContext = {
  now,
  openRuns: new Set(),
  endedAt: new Map(),
  inUse: new Map(),
  released: new Map(),
  waysBack: new Map(),
};
const iso = (at: number): string => new Date(at).toISOString();

const keptIds = (snapshots: readonly KnownSnapshot[], policy: RetentionPolicy): string[] =>
  decide(snapshots, policy, quiet).flatMap(({ snapshot, keep }) => (keep ? [snapshot.manifest.id] : []));

/** A good backup of that night. */
const night = (date: string): KnownSnapshot => aKnown({ id: date, takenAt: `${date}T03:00:00.000Z` });

/** What a clock says that is far ahead, or far behind. */
const lies = ['1970-01-02T00:00:00.000Z', '2100-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];

describe('a snapshot that a wrong clock has dated', () => {
  it('makes no other go that any policy would keep [P09]', () => {
    const upTo = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { nil: undefined });
    const anyPolicy = fc
      .record({
        last: upTo(4),
        hourly: upTo(4),
        daily: upTo(5),
        weekly: upTo(4),
        monthly: upTo(3),
        yearly: upTo(3),
        withinMs: fc.option(fc.integer({ min: hour, max: 40 * day }), { nil: undefined }),
      })
      .filter((policy) => Object.values(policy).some((rule) => rule !== undefined));
    const taken = fc.record({
      at: fc.integer({ min: Date.parse('2025-11-01T00:00:00Z'), max: now }),
      complete: fc.boolean(),
    });
    const lying = fc.record({ lie: fc.constantFrom(...lies), complete: fc.boolean() });
    fc.assert(
      fc.property(
        fc.uniqueArray(taken, { maxLength: 14, selector: ({ at }) => at }),
        fc.array(lying, { maxLength: 4 }),
        anyPolicy,
        (all, wrong, policy) => {
          const honest = all.map(({ at, complete }) => aKnown({ id: iso(at), takenAt: iso(at), complete }));
          const liars = wrong.map(({ lie, complete }, index) =>
            aKnown({ id: `wrong ${index}`, takenAt: lie, complete }),
          );
          const good = (each: readonly KnownSnapshot[]) => each.filter(({ manifest }) => manifest.complete);
          const due = keptIds(good(honest), policy);
          expect(keptIds([...honest, ...liars], policy)).toEqual(expect.arrayContaining(due));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is not what latest means, nor what is restored, while there is another', async () => {
    for (const lie of lies) {
      const { snapshots, take } = bound(new AStore());
      await take({ id: 'backup-1', takenAt: '2026-11-18T03:00:00.000Z' });
      await take({ id: 'backup-2', takenAt: lie });
      expect(await findSnapshot(snapshots, 'latest:transport')).toBe('backup-1');
      expect((await lastGood(snapshots, 'transport'))?.manifest.id).toBe('backup-1');
    }
  });
});

describe('a snapshot that is dated in the future', () => {
  const future = aKnown({ id: 'future', takenAt: '2100-01-01T00:00:00Z' });
  const honest = ['2026-11-17', '2026-11-18', '2026-11-19'].map((date) => night(date));

  it('stays, counts for no rule, and makes no other old', () => {
    for (const policy of [{ last: 2 }, { daily: 2 }, { yearly: 1 }, { withinMs: 2 * day }]) {
      const kept = keptIds([...honest, future], policy);
      expect(kept).toEqual([...keptIds(honest, policy), 'future']);
    }
  });

  it('tells nobody that its route is backed up', () => {
    const ages = new Map([['transport', day]]);
    const [alone] = routeStates([future], ages, now);
    expect(alone).toMatchObject({ overdue: true, lastGood: { id: 'future', ahead: true } });
    const inOrder = decide([future, ...honest], undefined, quiet).map(({ snapshot }) => snapshot);
    const [state] = routeStates(inOrder, new Map([['transport', 3 * day]]), now);
    expect(state).toMatchObject({ overdue: false, lastGood: { id: '2026-11-19' } });
  });
});

describe('the only snapshot that was ever proven restorable', () => {
  const proof = (level: SnapshotProof['level']): SnapshotProof => ({
    level,
    at: '2026-11-19T05:00:00.000Z',
    portal: 'scratch',
    runId: `drill-${level}`,
    items: 1,
  });

  it('stays until another one is [P09]', () => {
    const old = night('2026-01-01');
    const middle = night('2026-06-01');
    const newest = night('2026-11-19');
    const proven = { ...old, proofs: [proof('imported')] };
    expect(keptIds([proven, middle, newest], { last: 1 })).toEqual(['2026-11-19', '2026-01-01']);
    const after = { ...middle, proofs: [proof('imported')] };
    expect(keptIds([proven, after, newest], { last: 1 })).toEqual(['2026-11-19', '2026-06-01']);
  });

  it('by a whole import stays beside one of which a portal only read the package', () => {
    const imported = { ...night('2026-01-01'), proofs: [proof('imported')] };
    const read = { ...night('2026-06-01'), proofs: [proof('previewed')] };
    expect(keptIds([imported, read, night('2026-11-19')], { last: 1 })).toEqual([
      '2026-11-19',
      '2026-06-01',
      '2026-01-01',
    ]);
  });

  it('is not forgotten by its name either', async () => {
    const { snapshots, take } = bound(new AStore());
    await take({ id: 'backup-1', takenAt: '2026-11-18T03:00:00.000Z' });
    await take({ id: 'backup-2', takenAt: '2026-11-19T03:00:00.000Z' });
    await snapshots.prove('backup-1', proof('imported'));
    const request = { openRuns: new Set<string>() };
    await expect(planByIds(snapshots, ['backup-1'], request)).rejects.toThrow(
      'backup-1: last proven restorable of transport',
    );
    await snapshots.prove('backup-2', proof('imported'));
    expect((await planByIds(snapshots, ['backup-1'], request)).decisions).toMatchObject([{ keep: false }]);
  });
});

describe('a snapshot from another store', () => {
  it('is never the latest, and is named where there is no other', async () => {
    const { snapshots, take } = bound(new AStore());
    const imported = { at: '2026-11-20T00:00:00.000Z', keySha256: 'f' };
    await take({ id: 'backup-elsewhere', takenAt: '2026-11-19T03:00:00.000Z', imported });
    const refused = findSnapshot(snapshots, 'latest:transport');
    await expect(refused).rejects.toThrow('imported from another store:\n  backup-elsewhere');
    await expect(refused).rejects.toMatchObject({
      code: 'SNAPSHOT_NOT_FOUND',
      hint: 'Type the ID of one imported from another store.',
    });
    await take({ id: 'backup-here', takenAt: '2026-11-01T03:00:00.000Z' });
    expect(await findSnapshot(snapshots, 'latest:transport')).toBe('backup-here');
    expect(await findSnapshot(snapshots, 'latest')).toBe('backup-here');
    expect(await findSnapshot(snapshots, 'backup-elsewhere')).toBe('backup-elsewhere');
  });
});

/** Its snapshots, and its way to take one. */
const bound = (one: AStore) => ({ snapshots: one.snapshots, take: one.take.bind(one) });
