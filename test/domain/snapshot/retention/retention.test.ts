import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RetentionPolicy } from '../../../../src/model/snapshot/snapshot';
import type { KnownSnapshot } from '../../../../src/domain/snapshot/list-snapshots';
import { decide, type RetentionContext } from '../../../../src/domain/snapshot/retention/retention';
import { aKnown } from '../a-store';

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

/** Good backups of a route at these times. */
const backups = (...times: string[]): KnownSnapshot[] =>
  times.map((takenAt) => aKnown({ id: takenAt, takenAt }));

/** What stays, with its reasons. */
const kept = (
  snapshots: readonly KnownSnapshot[],
  policy: RetentionPolicy | undefined,
  context: Partial<RetentionContext> = {},
): Record<string, readonly string[]> =>
  Object.fromEntries(
    decide(snapshots, policy, { ...quiet, ...context })
      .filter(({ keep }) => keep)
      .map(({ snapshot, reasons }) => [snapshot.manifest.id, reasons]),
  );

const gone = (...given: Parameters<typeof kept>): Record<string, readonly string[]> =>
  Object.fromEntries(
    decide(given[0], given[1], { ...quiet, ...given[2] })
      .filter(({ keep }) => !keep)
      .map(({ snapshot, reasons }) => [snapshot.manifest.id, reasons]),
  );

describe('a policy', () => {
  it('keeps the newest of each hour, day, week, month and year in UTC, and says which rule keeps it', () => {
    const times = [
      '2024-12-30T03:00:00Z', // Monday of the first week of 2025
      '2026-10-31T23:59:59Z',
      '2026-11-15T03:00:00Z', // Sunday
      '2026-11-16T03:00:00Z', // Monday
      '2026-11-20T03:00:00Z',
      '2026-11-20T21:10:00Z',
      '2026-11-20T21:50:00Z',
    ];
    const last = { '2026-11-20T21:50:00Z': ['last good of transport'] };
    const rest = (policy: RetentionPolicy) => kept(backups(...times), policy);
    expect(rest({ last: 2 })).toEqual({
      '2026-11-20T21:50:00Z': [...last['2026-11-20T21:50:00Z'], 'last 1 of 2'],
      '2026-11-20T21:10:00Z': ['last 2 of 2'],
    });
    expect(rest({ hourly: 2 })).toEqual({
      '2026-11-20T21:50:00Z': [...last['2026-11-20T21:50:00Z'], 'hourly 2026-11-20 21h'],
      '2026-11-20T03:00:00Z': ['hourly 2026-11-20 03h'],
    });
    expect(rest({ daily: 2 })).toEqual({
      '2026-11-20T21:50:00Z': [...last['2026-11-20T21:50:00Z'], 'daily 2026-11-20'],
      '2026-11-16T03:00:00Z': ['daily 2026-11-16'],
    });
    expect(rest({ weekly: 9 })).toEqual({
      '2026-11-20T21:50:00Z': [...last['2026-11-20T21:50:00Z'], 'weekly 2026-W47'],
      '2026-11-15T03:00:00Z': ['weekly 2026-W46'],
      '2026-10-31T23:59:59Z': ['weekly 2026-W44'],
      '2024-12-30T03:00:00Z': ['weekly 2025-W01'],
    });
    expect(rest({ monthly: 2 })).toEqual({
      '2026-11-20T21:50:00Z': [...last['2026-11-20T21:50:00Z'], 'monthly 2026-11'],
      '2026-10-31T23:59:59Z': ['monthly 2026-10'],
    });
    expect(rest({ yearly: 5 })).toEqual({
      '2026-11-20T21:50:00Z': [...last['2026-11-20T21:50:00Z'], 'yearly 2026'],
      '2024-12-30T03:00:00Z': ['yearly 2024'],
    });
  });

  it('counts a time back from the newest, not from today', () => {
    const times = [
      '2026-01-01T00:00:00Z',
      '2026-01-02T00:00:00Z',
      '2026-01-08T23:59:59Z',
      '2026-01-09T00:00:00Z',
    ];
    expect(kept(backups(...times), { withinMs: 7 * day })).toEqual({
      '2026-01-09T00:00:00Z': ['last good of transport', 'within 7d'],
      '2026-01-08T23:59:59Z': ['within 7d'],
    });
  });

  it('keeps what carries a tag', () => {
    const [a, b] = backups('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z') as [KnownSnapshot, KnownSnapshot];
    const tagged = { ...a, manifest: { ...a.manifest, tags: ['release', 'x'] } };
    expect(kept([tagged, b], { tags: ['release'] })).toEqual({
      '2026-11-02T00:00:00Z': ['last good of transport'],
      '2026-11-01T00:00:00Z': ['tag release'],
    });
  });

  it('that is empty is refused', () => {
    for (const policy of [{}, { last: 0, tags: [] }, { withinMs: 0 }])
      expect(() => decide([], policy, quiet)).toThrow('[RETENTION_EMPTY]');
  });

  it('is not needed where only safeguards are to go', () => {
    expect(kept(backups('2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'), undefined)).toEqual({
      '2021-01-01T00:00:00Z': ['last good of transport', 'no policy'],
      '2020-01-01T00:00:00Z': ['no policy'],
    });
  });
});

describe('what never counts', () => {
  const nights = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'].map((date) => `${date}T03:00:00Z`);
  const [first, second, third, fourth] = nights as [string, string, string, string];

  it('is a backup that is incomplete or empty: it pushes no good one out', () => {
    const snapshots = [
      ...backups(first, second),
      aKnown({ id: third, takenAt: third, complete: false }),
      aKnown({ id: fourth, takenAt: fourth, saved: 0 }),
    ];
    expect(kept(snapshots, { last: 1, daily: 1 })).toEqual({
      [fourth]: ['empty, but no newer good one exists yet'],
      [third]: ['incomplete, but no newer good one exists yet'],
      [second]: ['last good of transport', 'last 1 of 1', 'daily 2026-11-18'],
    });
    expect(gone([...snapshots, ...backups('2026-11-21T03:00:00Z')], { last: 1 })).toEqual({
      [fourth]: ['empty, and a newer good one exists'],
      [third]: ['incomplete, and a newer good one exists'],
      [second]: ['no rule matches'],
      [first]: ['no rule matches'],
    });
  });

  it('is another route, one that came from another store, or another group that was named by hand', () => {
    const imported = { at: first, keySha256: 'f' };
    const source = { ...aKnown({ id: 'x' }).manifest.source, groupId: 'g2' };
    const snapshots = [
      aKnown({ id: 'other', route: 'water', takenAt: fourth }),
      aKnown({ id: 'imported', takenAt: fourth, imported }),
      aKnown({ id: 'adhoc 1', route: 'adhoc', takenAt: first }),
      aKnown({ id: 'adhoc 2', route: 'adhoc', takenAt: second, source }),
      ...backups(first, second),
    ];
    expect(kept(snapshots, { last: 1 })).toEqual({
      other: ['last good of water', 'last 1 of 1'],
      imported: ['imported from another store'],
      'adhoc 1': ['last good of adhoc', 'last 1 of 1'],
      'adhoc 2': ['last good of adhoc', 'last 1 of 1'],
      [second]: ['last good of transport', 'last 1 of 1'],
    });
  });
});

describe('what stays in any case', () => {
  const [old, newer] = ['2020-01-01T00:00:00Z', '2026-11-20T00:00:00Z'];

  it('is pinned, or in use by an open run [P09]', () => {
    const snapshots = [
      aKnown({ id: 'pinned', takenAt: old, complete: false, pin: 'before the upgrade' }),
      aKnown({ id: 'used', takenAt: old }),
      ...backups(newer),
    ];
    expect(kept(snapshots, { last: 1 }, { inUse: new Map([['used', 'restore-x']]) })).toEqual({
      [newer]: ['last good of transport', 'last 1 of 1'],
      pinned: ['pinned: before the upgrade'],
      used: ['in use by restore-x'],
    });
  });

  it('is the safeguard to which a stage would go back, for as long as it could', () => {
    const [saved, other] = ['transport/live', undefined].map((stage, index) =>
      kept(
        [aKnown({ id: 'saved', kind: index === 0 ? 'safeguard' : 'backup', runId: 'part-1', takenAt: old })],
        undefined,
        { waysBack: new Map([['part-1', stage ?? 'transport/live']]) },
      ),
    );
    expect(saved).toEqual({ saved: ['needed to roll back transport/live'] });
    expect(other).toEqual({ saved: ['last good of transport', 'no policy'] });
  });

  it('is the safeguard of a run that is open, or may be', () => {
    const safeguard = aKnown({ id: 'sync-1-safeguard-1', kind: 'safeguard', runId: 'sync-1', takenAt: old });
    const reasons = (context: Partial<RetentionContext>) =>
      Object.values(kept([safeguard], { last: 1 }, context))[0] ?? 'goes';
    expect(reasons({ openRuns: new Set(['sync-1']) })).toEqual(['safeguard of an open run']);
    expect(reasons({ openRuns: undefined })).toEqual(['safeguard of a run that may be open']);
    expect(reasons({ openRuns: undefined, endedAt: new Map([['sync-1', now - 29 * day]]) })).toEqual([
      'safeguard, kept for 30d after its run',
    ]);
    expect(reasons({ endedAt: new Map([['sync-1', now - 31 * day]]) })).toBe('goes');
    // A run that was terminated has recorded no end.
    expect(reasons({})).toBe('goes');
  });
});

/** The same question answered another way: rule by rule over sorted lists of one route, with dates as numbers. */
function expected(snapshots: readonly KnownSnapshot[], policy: RetentionPolicy): Set<string> {
  const stays = new Set<string>();
  for (const route of new Set(snapshots.map(({ manifest }) => manifest.route))) {
    const all = snapshots.filter(({ manifest }) => manifest.route === route);
    const good = all
      .filter(({ manifest }) => manifest.complete && manifest.rows.saved > 0)
      .map(({ manifest }) => ({ id: manifest.id, at: Date.parse(manifest.takenAt) }))
      .sort((a, b) => b.at - a.at);
    const newest = good[0];
    if (newest) stays.add(newest.id);
    good.slice(0, policy.last ?? 0).forEach(({ id }) => stays.add(id));
    const dates = (at: number) => new Date(at);
    const numbers = {
      hourly: (at: number) => Math.floor(at / hour),
      daily: (at: number) => Math.floor(at / day),
      // 1970-01-01 was a Thursday.
      weekly: (at: number) => Math.floor((Math.floor(at / day) + 3) / 7),
      monthly: (at: number) => dates(at).getUTCFullYear() * 12 + dates(at).getUTCMonth(),
      yearly: (at: number) => dates(at).getUTCFullYear(),
    };
    for (const [rule, numberOf] of Object.entries(numbers)) {
      const most = policy[rule as keyof typeof numbers] ?? 0;
      const slots = [...new Set(good.map(({ at }) => numberOf(at)))].sort((a, b) => b - a).slice(0, most);
      for (const slot of slots) {
        const inSlot = good.filter(({ at }) => numberOf(at) === slot);
        const best = inSlot.reduce((a, b) => (a.at >= b.at ? a : b));
        stays.add(best.id);
      }
    }
    for (const { id, at } of good) if (newest && newest.at - at < (policy.withinMs ?? 0)) stays.add(id);
    for (const { manifest, pin } of all) {
      const isGood = good.some(({ id }) => id === manifest.id);
      const waits = !isGood && (!newest || Date.parse(manifest.takenAt) > newest.at);
      const tagged = manifest.tags.some((tag) => policy.tags?.includes(tag));
      if (waits || tagged || pin) stays.add(manifest.id);
    }
  }
  return stays;
}

describe('any policy over any snapshots', () => {
  const upTo = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { nil: undefined });
  const policies = fc
    .record({
      last: upTo(5),
      hourly: upTo(6),
      daily: upTo(8),
      weekly: upTo(5),
      monthly: upTo(4),
      yearly: upTo(3),
      withinMs: fc.option(fc.integer({ min: hour, max: 40 * day }), { nil: undefined }),
      tags: fc.option(fc.constant(['release']), { nil: undefined }),
    })
    .filter((policy) => Object.values(policy).some((rule) => rule !== undefined));
  // Half of them close together, so that buckets hold several; over new year, where weeks and years part.
  const moments = fc.oneof(
    fc.integer({ min: Date.parse('2025-12-28T00:00:00Z'), max: Date.parse('2026-01-06T00:00:00Z') }),
    fc.integer({ min: Date.parse('2023-01-01T00:00:00Z'), max: now }),
  );
  const snapshots = fc
    .uniqueArray(moments, { maxLength: 30 })
    .chain((times) =>
      fc.tuple(
        ...times.map((at, index) =>
          fc.record({
            id: fc.constant(`s${index}`),
            takenAt: fc.constant(new Date(at).toISOString()),
            route: fc.constantFrom('transport', 'transport', 'water'),
            complete: fc.constantFrom(true, true, true, false),
            saved: fc.constantFrom(1, 1, 1, 0),
            tags: fc.constantFrom<string[]>([], [], [], ['release']),
            pin: fc.constantFrom(undefined, undefined, undefined, undefined, 'x'),
          }),
        ),
      ),
    )
    .map((given) => given.map(aKnown));

  it('keeps exactly what an independent calculation keeps, with a reason for each', () => {
    fc.assert(
      fc.property(snapshots, policies, (given, policy) => {
        const decisions = decide(given, policy, quiet);
        expect(decisions).toHaveLength(given.length);
        expect(decisions.every(({ reasons }) => reasons.length > 0)).toBe(true);
        const ids = decisions.filter(({ keep }) => keep).map(({ snapshot }) => snapshot.manifest.id);
        expect(new Set(ids)).toEqual(expected(given, policy));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the same when it is applied to what it kept', () => {
    fc.assert(
      fc.property(snapshots, policies, (given, policy) => {
        const first = decide(given, policy, quiet).filter(({ keep }) => keep);
        const again = decide(
          first.map(({ snapshot }) => snapshot),
          policy,
          quiet,
        );
        expect(again.every(({ keep }) => keep)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
