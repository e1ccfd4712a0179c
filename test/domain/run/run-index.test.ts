import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Config } from '../../../src/config/config';
import { dayOf, indexRun } from '../../../src/domain/run/run-index';
import { indexedEnd } from '../../../src/model/run/run-id';
import { RecordedRuns } from '../../../src/service/run/lookup/recorded-runs';
import { Timeline } from '../../../src/service/run/lookup/timeline';
import { AuthenticStore } from '../../../src/store/authentic/authentic-store';
import { keys } from '../../../src/store/keys';
import { AStore } from '../snapshot/a-store';

const drawn = 'sync-transport-20261121T030000Z-k7q2';
const scheduled = 'backup-nightly-2026-11-20T23:59:59Z';
const requested = 'sync-transport-request-abcdefghij';

describe('the index of runs', () => {
  it('has a run by its day and the end of its ID, whether or not the ID has a time', async () => {
    const { store } = new AStore();
    for (const runId of [drawn, scheduled, requested])
      await indexRun(store, { runId, startedAt: '2026-11-19T01:00:00.000Z' });
    expect((await store.names(keys.runDays)).sort()).toEqual(['2026-11-19', '2026-11-20', '2026-11-21']);
    expect(await store.names(keys.runsOfDay('2026-11-20'))).toEqual([`${scheduled}.json`]);
    expect(await store.names(keys.runsOfDay('2026-11-19'))).toEqual([`${requested}.json`]);
    expect(await store.names(keys.runsOfEnd('q2'))).toEqual([`${drawn}.json`]);
  });

  it('has a run whose record was altered, and whoever lists all is told so', async () => {
    const { store: bare } = new AStore();
    const store = new AuthenticStore(bare, async () => Buffer.alloc(32, 7));
    await indexRun(store, { runId: requested, startedAt: '2026-11-19T01:00:00.000Z' });
    await bare.writeJson(keys.record(requested), { startedAt: '2026-11-19T01:00:00.000Z' });
    const untold: string[] = [];
    const config = { temporal: { taskQueue: 'portolan' } } as Config;
    const runs = new RecordedRuns({ config, store }, ({ code }) => untold.push(code));
    expect(await (await runs.timeline()).before(Infinity, 1)).toEqual([]);
    expect(untold).toEqual(['NOTE_ALTERED']);
    expect(await runs.endingSo('abcdefghij')).toEqual([requested]);
  });

  it('has an ID where every end of it is looked for, or asks for a look at all', () => {
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
        const looked = indexedEnd(runId.slice(from % runId.length));
        if (looked !== undefined) expect(looked).toBe(indexedEnd(runId));
      }),
    );
  });
});

describe('the timeline of runs', () => {
  const day = 86_400_000;
  const runs = fc.array(fc.integer({ min: 0, max: 40 * day }), { maxLength: 60 });

  it('gives the newest runs before any time, and reads no day in vain', async () => {
    await fc.assert(
      fc.asyncProperty(
        runs,
        fc.nat(40 * day),
        fc.integer({ min: 1, max: 70 }),
        async (times, time, count) => {
          // Twice each, so that some are of one moment.
          const all = [...times, ...times].map((at, index) => ({ runId: `r${index}`, at }));
          const sorted = all.filter(({ at }) => at < time).sort((a, b) => b.at - a.at);
          const oldest = sorted[Math.min(count, sorted.length) - 1]?.at ?? Infinity;
          const wanted = sorted.filter(({ at }) => at >= oldest);
          const days = [...new Set(all.map(({ at }) => dayOf(at) ?? ''))];
          const timeline = new Timeline(days, async (name) => all.filter(({ at }) => dayOf(at) === name));
          expect(await timeline.before(time, count)).toEqual(wanted);
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
    expect(await timeline.before(Infinity, 1)).toMatchObject([{ runId: '2026-11-21' }]);
    expect(read).toEqual(['2026-11-21']);
  });
});
