import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Config } from '../../../src/config/config';
import { completeRunIndex, indexRun, isRunIndexWhole } from '../../../src/domain/run/run-index';
import { PortolanError } from '../../../src/model/errors/errors';
import { indexedEnd } from '../../../src/model/run/run-id';
import { RecordedRuns } from '../../../src/service/run/lookup/recorded-runs';
import { type RecordedRun, Timeline } from '../../../src/service/run/lookup/timeline';
import { AuthenticStore } from '../../../src/store/authentic/authentic-store';
import { keys } from '../../../src/store/keys';
import type { Store } from '../../../src/store/store';
import { AStore } from '../snapshot/a-store';

const drawn = 'sync-transport-20261121T030000Z-k7q2';
const scheduled = 'backup-nightly-2026-11-20T23:59:59Z';
const requested = 'sync-transport-request-abcdefghij';

/** A store of which some is otherwise. */
const but = (store: Store, changes: Partial<Store>): Store =>
  Object.assign(Object.create(store) as Store, changes);

describe('the index of runs', () => {
  it('is completed by what it lacks, and whole when nothing is missing', async () => {
    const { store } = new AStore();
    for (const runId of [drawn, scheduled, requested])
      await store.writeJson(keys.record(runId), { startedAt: '2026-11-19T01:00:00.000Z' });
    await indexRun(store, { runId: drawn, startedAt: 'as its id says' });
    expect(await isRunIndexWhole(store)).toBe(false);
    await completeRunIndex(store);
    expect(await isRunIndexWhole(store)).toBe(true);
    expect((await store.names(keys.runDays)).sort()).toEqual(['2026-11-19', '2026-11-20', '2026-11-21']);
    expect(await store.names(keys.runsOfDay('2026-11-20'))).toEqual([`${scheduled}.json`]);
    expect(await store.names(keys.runsOfDay('2026-11-19'))).toEqual([`${requested}.json`]);
    expect(await store.names(keys.runsOfEnd('q2'))).toEqual([`${drawn}.json`]);
  });

  it('is not whole where its worker ended meanwhile', async () => {
    const { store } = new AStore();
    await store.writeJson(keys.record(drawn), {});
    await completeRunIndex(store, () => true);
    expect(await isRunIndexWhole(store)).toBe(false);
  });

  it('lists no further where its worker ends meanwhile', async () => {
    const { store } = new AStore();
    for (const runId of [drawn, scheduled]) await indexRun(store, { runId, startedAt: '' });
    const seen: string[] = [];
    const listing = but(store, {
      async *list(prefix) {
        for await (const key of store.list(prefix)) {
          seen.push(key);
          yield key;
        }
      },
      async names(prefix) {
        seen.push(prefix);
        return await store.names(prefix);
      },
    });
    await completeRunIndex(listing, () => seen.length > 0);
    expect(seen).toHaveLength(1);
  });

  it('lacks neither day nor end of a run whose worker was killed between the two', async () => {
    const { store } = new AStore();
    await store.writeJson(keys.record(drawn), {});
    let writes = 0;
    const dying = but(store, {
      async writeJson(key, value) {
        if (key.startsWith('index/') && ++writes === 2) throw new Error('killed');
        await store.writeJson(key, value);
      },
    });
    await expect(completeRunIndex(dying)).rejects.toThrow('killed');
    await completeRunIndex(dying);
    expect(await isRunIndexWhole(store)).toBe(true);
    expect(await store.names(keys.runsOfDay('2026-11-21'))).toEqual([`${drawn}.json`]);
    expect(await store.names(keys.runsOfEnd('q2'))).toEqual([`${drawn}.json`]);
  });

  it.each(['STORE_UNREACHABLE', 'SECRET_UNREADABLE'] as const)(
    'is not whole where a record could not be read (%s), and has that run once it can',
    async (code) => {
      const { store } = new AStore();
      await store.writeJson(keys.record(requested), { startedAt: '2026-11-19T01:00:00.000Z' });
      const away = but(store, {
        async readJson(key, schema) {
          if (key === keys.record(requested)) throw new PortolanError(code, 'not for now');
          return await store.readJson(key, schema);
        },
      });
      await expect(completeRunIndex(away)).rejects.toMatchObject({ code });
      expect(await isRunIndexWhole(store)).toBe(false);
      await completeRunIndex(store);
      expect(await isRunIndexWhole(store)).toBe(true);
      expect(await store.names(keys.runsOfDay('2026-11-19'))).toEqual([`${requested}.json`]);
    },
  );

  it('has a run whose record was altered: whoever lists all is told so, and sees it once it is mended', async () => {
    const { store: bare } = new AStore();
    const store = new AuthenticStore(bare, async () => Buffer.alloc(32, 7));
    await bare.writeJson(keys.record(requested), { startedAt: '2026-11-19T01:00:00.000Z' });
    await completeRunIndex(store);
    expect(await isRunIndexWhole(store)).toBe(true);
    const untold: string[] = [];
    const config = { temporal: { taskQueue: 'portolan' } } as Config;
    const runs = new RecordedRuns({ config, store }, ({ code }) => untold.push(code));
    expect(await (await runs.timeline()).before(Infinity, 1)).toEqual([]);
    expect(untold).toEqual(['NOTE_ALTERED']);
    expect(await runs.endingSo('abcdefghij')).toEqual([requested]);

    await store.writeJson(keys.record(requested), { startedAt: '2026-11-19T01:00:00.000Z' });
    await completeRunIndex(store);
    const days = await Promise.all(
      (await store.names(keys.runDays)).map((day) => store.names(keys.runsOfDay(day))),
    );
    expect(days.flat()).toEqual([`${requested}.json`]);
    expect(await store.names(keys.runsOfDay('2026-11-19'))).toEqual([`${requested}.json`]);
  });

  it('passes over what has an id that no run can have', async () => {
    const { store } = new AStore();
    const forged = `s${'x'.repeat(239)}`;
    for (const runId of [forged, drawn]) await store.writeJson(keys.record(runId), {});
    await completeRunIndex(store);
    expect(await isRunIndexWhole(store)).toBe(true);
    expect(await store.names(keys.runDays)).toEqual(['2026-11-21']);
  });

  it('has an id where every end of it is looked for, or says that all have to be looked at', () => {
    const part = fc.constantFrom('', '_001', '_1234', '_001_002');
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') });
    const ends = fc.oneof(
      fc.tuple(time, part).map(([at, n]) => `nightly-${at.toISOString().replace(/\.\d+/, '')}${n}`),
      fc.tuple(fc.stringMatching(/^[a-z0-9]{4}$/), part).map(([drawn, n]) => `20261121T030000Z-${drawn}${n}`),
      fc.stringMatching(/^request-[A-Za-z0-9]{10}$/),
    );
    fc.assert(
      fc.property(ends, fc.nat(), (end, from) => {
        const runId = `sync-${end}`;
        const typed = runId.slice(from % runId.length);
        const looked = indexedEnd(typed);
        if (looked !== undefined) expect(looked).toBe(indexedEnd(runId));
      }),
    );
  });
});

describe('the timeline of runs', () => {
  const day = 86_400_000;
  const runs = fc.array(fc.integer({ min: 0, max: 40 * day }), { maxLength: 60 });

  it('gives the newest before any time, whole moments, and reads no day that it does not need', async () => {
    await fc.assert(
      fc.asyncProperty(
        runs,
        fc.nat(40 * day),
        fc.integer({ min: 1, max: 70 }),
        async (times, time, count) => {
          // Twice each, so that some are of one moment.
          const all: RecordedRun[] = [...times, ...times].map((at, index) => ({ runId: `r${index}`, at }));
          const sorted = all.filter(({ at }) => at < time).sort((a, b) => b.at - a.at);
          const oldest = sorted[Math.min(count, sorted.length) - 1]?.at ?? Infinity;
          const wanted = sorted.filter(({ at }) => at >= oldest);
          expect(await Timeline.of(all).before(time, count)).toEqual(wanted);
        },
      ),
    );
    const read: string[] = [];
    const runsOf = async (name: string) => {
      read.push(name);
      return [{ runId: name, at: Date.parse(name) }];
    };
    const days = ['2026-11-19', 'no day', '2026-11-21', '2026-11-20', '2026-11-18'];
    const timeline = new Timeline(days, runsOf);
    const found = await timeline.before(Infinity, 1);
    expect(found.map(({ runId }) => runId)).toEqual(['2026-11-21']);
    expect(read).toEqual(['2026-11-21']);
  });
});
