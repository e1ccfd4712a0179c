import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findSnapshot } from '../../../../src/domain/resolve-id';
import { type KnownSnapshot, lastGood } from '../../../../src/domain/snapshot/list-snapshots';
import { planByIds } from '../../../../src/domain/snapshot/retention/forget';
import { decide, type RetentionContext } from '../../../../src/domain/snapshot/retention/retention';
import { routeStates } from '../../../../src/domain/snapshot/retention/route-state';
import type { RetentionPolicy, SnapshotProof } from '../../../../src/model/snapshot/snapshot';
import { aKnown, AStore } from '../a-store';

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

type Given = [snapshots: KnownSnapshot[], policy?: RetentionPolicy, context?: Partial<RetentionContext>];
const decisionsOn = ([snapshots, policy, context]: Given) =>
  decide(snapshots, policy, { ...quiet, ...context });

/** The decisions as lines, those that stay before those that go. */
const decided = (...given: Given) => {
  const lines = (keeps: boolean) =>
    decisionsOn(given)
      .filter(({ keep }) => keep === keeps)
      .map(({ snapshot, reasons }) => `${snapshot.manifest.id}: ${reasons.join('; ')}`);
  return [...lines(true), ...lines(false).map((line) => `- ${line}`)];
};
const keptIds = (...given: Given) =>
  decisionsOn(given).flatMap(({ snapshot, keep }) => (keep ? [snapshot.manifest.id] : []));

const [first, second, third, fourth] = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'] as const;
const old = '2020-01-01';
const lastGoodLine = (id: string, ...rules: string[]) =>
  [`${id}: last good of transport`, ...rules].join('; ');

describe('a policy', () => {
  const times = [
    '2024-12-30T03:00:00Z', // Monday of the first week of 2025
    '2026-10-31T23:59:59Z',
    '2026-11-15T03:00:00Z', // Sunday
    '2026-11-16T03:00:00Z', // Monday
    '2026-11-20T03:00:00Z',
    '2026-11-20T21:10:00Z',
    '2026-11-20T21:50:00Z',
  ];
  const week = [
    '2026-01-01T00:00:00Z',
    '2026-01-02T00:00:00Z',
    '2026-01-08T23:59:59Z',
    '2026-01-09T00:00:00Z',
  ];

  it.each([
    ['the last', times, { last: 2 }, ['last 1 of 2', '2026-11-20T21:10:00Z: last 2 of 2']],
    [
      'each hour',
      times,
      { hourly: 2 },
      ['hourly 2026-11-20 21h', '2026-11-20T03:00:00Z: hourly 2026-11-20 03h'],
    ],
    ['each day', times, { daily: 2 }, ['daily 2026-11-20', '2026-11-16T03:00:00Z: daily 2026-11-16']],
    [
      'each week',
      times,
      { weekly: 9 },
      [
        'weekly 2026-W47',
        '2026-11-15T03:00:00Z: weekly 2026-W46',
        '2026-10-31T23:59:59Z: weekly 2026-W44',
        '2024-12-30T03:00:00Z: weekly 2025-W01',
      ],
    ],
    ['each month', times, { monthly: 2 }, ['monthly 2026-11', '2026-10-31T23:59:59Z: monthly 2026-10']],
    ['each year', times, { yearly: 5 }, ['yearly 2026', '2024-12-30T03:00:00Z: yearly 2024']],
    [
      'some time before the newest',
      week,
      { withinMs: 7 * day },
      ['within 7d', '2026-01-08T23:59:59Z: within 7d'],
    ],
  ])('keeps the newest of %s in UTC, and names the rule', (_, given, policy, [newest = '', ...others]) => {
    const lines = decided(backups(...given), policy);
    expect(lines.filter((line) => !line.startsWith('- '))).toEqual([
      lastGoodLine(given.at(-1) ?? '', newest),
      ...others,
    ]);
  });

  it('keeps tagged snapshots, and all if there is none', () => {
    const [tagged, newer] = [aKnown({ id: 'tagged', takenAt: old, tags: ['release', 'x'] }), backups(second)];
    expect(decided([tagged, ...newer], { tags: ['release'] })).toEqual([
      lastGoodLine(second),
      'tagged: tag release',
    ]);
    expect(decided([tagged, ...newer])).toEqual([lastGoodLine(second, 'no policy'), 'tagged: no policy']);
  });

  it('is refused if it is empty', () => {
    for (const policy of [{}, { last: 0, tags: [] }, { withinMs: 0 }])
      expect(() => decide([], policy, quiet)).toThrow(
        '[RETENTION_EMPTY] The policy has no rule, so it would keep only the last good snapshot.',
      );
  });
});

describe('retention', () => {
  it('counts no incomplete or empty backup, and keeps it until a newer good one exists', () => {
    const snapshots = [
      ...backups(first, second),
      aKnown({ id: third, takenAt: third, complete: false }),
      aKnown({ id: fourth, takenAt: fourth, saved: 0 }),
    ];
    expect(decided(snapshots, { last: 1, daily: 1 })).toEqual([
      `${fourth}: empty, but no newer good one exists yet`,
      `${third}: incomplete, but no newer good one exists yet`,
      lastGoodLine(second, 'last 1 of 1', 'daily 2026-11-18'),
      `- ${first}: no rule matches`,
    ]);
    expect(decided([...snapshots, ...backups('2026-11-21')], { last: 1 })).toEqual([
      lastGoodLine('2026-11-21', 'last 1 of 1'),
      `- ${fourth}: empty, and a newer good one exists`,
      `- ${third}: incomplete, and a newer good one exists`,
      `- ${second}: no rule matches`,
      `- ${first}: no rule matches`,
    ]);
  });

  it('counts each route, each group of ad hoc runs and each store by itself', () => {
    const imported = { at: first, keySha256: 'f' };
    const source = { ...aKnown({ id: 'x' }).manifest.source, groupId: 'g2' };
    const snapshots = [
      aKnown({ id: 'other', route: 'water', takenAt: fourth }),
      aKnown({ id: 'imported', takenAt: fourth, imported }),
      aKnown({ id: 'adhoc 2', route: 'adhoc', takenAt: second, source }),
      aKnown({ id: 'adhoc 1', route: 'adhoc', takenAt: first }),
      ...backups(first, second),
    ];
    expect(decided(snapshots, { last: 1 })).toEqual([
      'other: last good of water; last 1 of 1',
      'imported: imported from another store',
      'adhoc 2: last good of adhoc; last 1 of 1',
      lastGoodLine(second, 'last 1 of 1'),
      'adhoc 1: last good of adhoc; last 1 of 1',
      `- ${first}: no rule matches`,
    ]);
  });

  it('keeps pinned, used and released snapshots [P09]', () => {
    const pinned = aKnown({ id: 'pinned', takenAt: old, complete: false, pin: 'before the upgrade' });
    const snapshots = [
      pinned,
      { ...aKnown({ id: 'silent', takenAt: old }), pin: { ...pinned.pin!, reason: undefined } },
      aKnown({ id: 'used', takenAt: old }),
      aKnown({ id: 'released', takenAt: old }),
      ...backups(fourth),
    ];
    const context = { inUse: new Map([['used', 'restore-x']]), released: new Map([['released', 'r-1']]) };
    expect(decided(snapshots, { last: 1 }, context)).toEqual([
      lastGoodLine(fourth, 'last 1 of 1'),
      'used: in use by restore-x',
      'silent: pinned by a@b',
      'released: part of release r-1',
      'pinned: pinned: before the upgrade',
    ]);
  });

  const keeps = 'safeguard, kept for 30d after its run';
  const gone = '- saved: safeguard of a run that ended more than 30d ago';
  const ended = (ms: number) => ({ endedAt: new Map([['sync-1', now - ms]]) });
  it.each([
    ['an open run', { openRuns: new Set(['sync-1']) }, 'saved: safeguard of an open run'],
    ['a run that may be open', { openRuns: undefined }, 'saved: safeguard of a run that may be open'],
    ['a run that has ended', { openRuns: undefined, ...ended(29 * day) }, `saved: ${keeps}`],
    ['a run that ended 30 days ago', ended(30 * day), `saved: ${keeps}`],
    ['a run that ended earlier', ended(30 * day + 1), gone],
    // A terminated run has recorded no end.
    ['a terminated run', {}, gone],
    [
      'a stage that may roll back',
      { waysBack: new Map([['sync-1', 'transport/live']]) },
      'saved: needed to roll back transport/live',
    ],
  ])('decides the safeguard of %s', (_, context, line) => {
    const saved = aKnown({ id: 'saved', kind: 'safeguard', runId: 'sync-1', takenAt: old });
    expect(decided([saved], { last: 1 }, context)).toEqual([line]);
  });

  it('keeps no backup for a rollback or an open run', () => {
    const saved = aKnown({ id: 'saved', runId: 'part-1', takenAt: old });
    const waysBack = new Map([['part-1', 'transport/live']]);
    for (const openRuns of [new Set(['part-1']), undefined])
      expect(decided([saved], undefined, { waysBack, openRuns })).toEqual([
        lastGoodLine('saved', 'no policy'),
      ]);
  });
});

describe('the only snapshot that was ever proven', () => {
  const proof = (level: SnapshotProof['level']): SnapshotProof => ({
    level,
    at: '2026-11-19T05:00:00.000Z',
    portal: 'scratch',
    runId: `drill-${level}`,
    items: 1,
  });
  const [january, june, newest] = backups('2026-01-01', '2026-06-01', third) as [
    KnownSnapshot,
    KnownSnapshot,
    KnownSnapshot,
  ];
  const proven = (
    snapshot: KnownSnapshot,
    level: SnapshotProof['level'] = 'imported',
    imported: Pick<KnownSnapshot['manifest'], 'imported'> = {},
  ) => ({
    ...snapshot,
    manifest: { ...snapshot.manifest, ...imported },
    proofs: [proof(level)],
  });
  const elsewhere = { imported: { at: first, keySha256: 'f' } };

  const last = 'last proven restorable of transport';
  const other = { ...january.manifest, kind: 'safeguard' as const };
  it.each([
    ['stays [P09]', [proven(january), june], [`2026-01-01: ${last}`, '- 2026-06-01: no rule matches']],
    [
      'stays until another one is',
      [proven(january), proven(june)],
      [`2026-06-01: ${last}`, '- 2026-01-01: no rule matches'],
    ],
    [
      'stays beside one whose package a portal only read',
      [{ ...january, proofs: [proof('previewed'), proof('imported')] }, proven(june, 'previewed')],
      [`2026-06-01: ${last}`, `2026-01-01: ${last}`],
    ],
    [
      'stays beside a proven one of another store',
      [proven(january), proven(june, 'imported', elsewhere)],
      ['2026-06-01: imported from another store', `2026-01-01: ${last}`],
    ],
    [
      'stays if it comes from another store',
      [proven(january, 'imported', elsewhere), june],
      [`2026-01-01: ${last}; imported from another store`, '- 2026-06-01: no rule matches'],
    ],
    [
      'is no safeguard',
      [{ ...proven(january), manifest: other }, june],
      ['- 2026-06-01: no rule matches', '- 2026-01-01: safeguard of a run that ended more than 30d ago'],
    ],
  ])('%s', (_, snapshots, lines) => {
    expect(decided([...snapshots, newest], { last: 1 })).toEqual([
      lastGoodLine(third, 'last 1 of 1'),
      ...lines,
    ]);
  });

  it('cannot be forgotten by its ID', async () => {
    const one = new AStore();
    const { snapshots } = one;
    await one.take({ id: 'backup-1', takenAt: '2026-11-18T03:00:00.000Z' });
    await one.take({ id: 'backup-2', takenAt: '2026-11-19T03:00:00.000Z' });
    await snapshots.prove('backup-1', proof('imported'));
    const plan = () => planByIds(snapshots, ['backup-1'], { openRuns: new Set() });
    await expect(plan()).rejects.toThrow('backup-1: last proven restorable of transport');
    await snapshots.prove('backup-2', proof('imported'));
    expect((await plan()).decisions).toMatchObject([{ keep: false }]);
  });
});

/** Backups of a year, good and incomplete ones. */
const anyBackups = fc
  .uniqueArray(
    fc.record({
      at: fc.integer({ min: Date.parse('2025-11-01T00:00:00Z'), max: now }),
      complete: fc.boolean(),
    }),
    { maxLength: 14, selector: ({ at }) => at },
  )
  .map((all) =>
    all.map(({ at, complete }) => {
      const takenAt = new Date(at).toISOString();
      return aKnown({ id: takenAt, takenAt, complete });
    }),
  );
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

it('any policy keeps the same when it is applied to what it kept', () => {
  fc.assert(
    fc.property(anyBackups, policies, (given, policy) => {
      const kept = new Set(keptIds(given, policy));
      const left = given.filter(({ manifest }) => kept.has(manifest.id));
      expect(new Set(keptIds(left, policy))).toEqual(kept);
    }),
    { numRuns: 150 },
  );
});

describe('a snapshot that a wrong clock has dated', () => {
  /** Dates of a clock that is far ahead, or far behind. */
  const lies = ['1970-01-02T00:00:00.000Z', '2100-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];
  const future = aKnown({ id: 'future', takenAt: lies[1] });
  const honest = backups(first, second, third);

  it('makes no other go that any policy would keep [P09]', () => {
    const lying = fc.record({ lie: fc.constantFrom(...lies), complete: fc.boolean() });
    fc.assert(
      fc.property(anyBackups, fc.array(lying, { maxLength: 4 }), policies, (right, wrong, policy) => {
        const liars = wrong.map(({ lie, complete }, index) =>
          aKnown({ id: `wrong ${index}`, takenAt: lie, complete }),
        );
        const due = keptIds(
          right.filter(({ manifest }) => manifest.complete),
          policy,
        );
        expect(keptIds([...right, ...liars], policy)).toEqual(expect.arrayContaining(due));
      }),
      { numRuns: 200 },
    );
  });

  it('stays if it is dated in the future, and counts for no rule', () => {
    for (const policy of [{ last: 2 }, { daily: 2 }, { yearly: 1 }, { withinMs: 2 * day }])
      expect(keptIds([...honest, future], policy)).toEqual([...keptIds(honest, policy), 'future']);
    expect(decided([...honest, future], { last: 9 })).toContain('future: dated in the future');
  });

  it('does not show its route as backed up', () => {
    const state = (snapshots: KnownSnapshot[], days: number) =>
      routeStates(snapshots, new Map([['transport', days * day]]), now)[0];
    expect(state([future], 1)).toMatchObject({ overdue: true, lastGood: { id: 'future', ahead: true } });
    const inOrder = decisionsOn([[future, ...honest]]).map(({ snapshot }) => snapshot);
    expect(state(inOrder, 3)).toMatchObject({ overdue: false, lastGood: { id: third } });
  });

  it('is not the latest, nor restored, while there is another', async () => {
    for (const lie of lies) {
      const one = new AStore();
      const { snapshots } = one;
      await one.take({ id: 'backup-1', takenAt: '2026-11-18T03:00:00.000Z' });
      await one.take({ id: 'backup-2', takenAt: lie });
      expect(await findSnapshot(snapshots, 'latest:transport')).toBe('backup-1');
      expect((await lastGood(snapshots, 'transport'))?.manifest.id).toBe('backup-1');
    }
  });
});

it('an imported snapshot is never the latest, and is named if there is no other', async () => {
  const one = new AStore();
  const { snapshots } = one;
  const imported = { at: '2026-11-20T00:00:00.000Z', keySha256: 'f' };
  await one.take({ id: 'backup-elsewhere', takenAt: '2026-11-19T03:00:00.000Z', imported });
  await expect(findSnapshot(snapshots, 'latest:transport')).rejects.toMatchObject({
    code: 'SNAPSHOT_NOT_FOUND',
    message: expect.stringContaining('imported from another store:\n  backup-elsewhere'),
    hint: 'Type the ID of one imported from another store.',
  });
  await one.take({ id: 'backup-here', takenAt: '2026-11-01T03:00:00.000Z' });
  for (const typed of ['latest:transport', 'latest'])
    expect(await findSnapshot(snapshots, typed)).toBe('backup-here');
  expect(await findSnapshot(snapshots, 'backup-elsewhere')).toBe('backup-elsewhere');
});
