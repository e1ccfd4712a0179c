import { isDeepStrictEqual } from 'node:util';
import type { MetricMeter } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordRouteMetrics, lookAtAges, noteAge } from '../../../src/activities/snapshot/ages';
import { bind } from '../../../src/activities/activities';
import type { ActivityDeps } from '../../../src/activities/deps';
import { messageOf } from '../../../src/domain/notify/message';
import { keys } from '../../../src/store/keys';
import { AStore } from '../../domain/snapshot/a-store';
import { until } from '../../support/until';

const HOUR = 3_600_000;
const route = { name: 'transport', groupId: 'g', maxAgeMs: 26 * HOUR };

let one: AStore;
beforeEach(() => void (one = new AStore()));

/** A look at the route, as it will be after so many milliseconds; what it asks to be noted is noted. */
async function look(afterMs: number, of = route) {
  const real = Date.now;
  Date.now = () => real() + afterMs;
  try {
    const activities = bind(one as unknown as ActivityDeps, { lookAtAges, noteAge });
    const watch = { routes: [of] };
    const [seen] = await activities.lookAtAges({ watch, watchId: 'watch' });
    if (!seen) throw new Error('the route was not looked at');
    if (seen.note !== undefined) await activities.noteAge({ route: of, note: seen.note, watch });
    return seen;
  } finally {
    Date.now = real;
  }
}

const told = async (afterMs: number) => {
  const { notice } = await look(afterMs);
  return notice && `${notice.event} ${notice.count}`;
};

const take = (id: string, takenAt: number, complete = true) =>
  one.take({ id, takenAt: new Date(takenAt).toISOString(), complete });

describe('the age of snapshots', () => {
  it('is notified once a day when overdue, and once when well again', async () => {
    await take('backup-transport-20261120T030000Z-aaaa', Date.now() - 25 * HOUR);
    expect([await told(0), await told(0.9 * HOUR)]).toEqual([undefined, undefined]);
    expect([await told(2 * HOUR), await told(3 * HOUR), await told(25 * HOUR)]).toEqual([
      'overdue 1',
      undefined,
      undefined,
    ]);
    expect([await told(26 * HOUR), await told(27 * HOUR)]).toEqual(['overdue 2', undefined]);
    await take('backup-transport-20261121T030000Z-bbbb', Date.now());
    expect([await told(1 * HOUR), await told(2 * HOUR)]).toEqual(['recovered 1', undefined]);
  });

  it('is notified with the last good snapshot and the maximum age', async () => {
    await take('backup-transport-20261120T030000Z-aaaa', Date.now() - 30 * HOUR);
    const { notice } = await look(0);
    expect(notice && messageOf(notice)).toMatchObject({
      id: 'backup-transport-20261120T030000Z-aaaa/overdue/1',
      event: 'overdue',
      route: 'transport',
      text: 'transport has no good snapshot within its maximum age: the last one, backup-transport-20261120T030000Z-aaaa, was good 30h ago; the maximum age is 26h  portolan schedule list',
    });
  });

  it('counts from its first check without a snapshot, and from no incomplete one', async () => {
    await take('backup-transport-20261120T030000Z-aaaa', Date.now() - HOUR, false);
    expect([await told(0), await told(25 * HOUR)]).toEqual([undefined, undefined]);
    expect(await told(27 * HOUR)).toBe('overdue 1');
  });

  it('counts from when the group was unchanged, and by no clock that is ahead', async () => {
    const id = 'backup-transport-20261120T030000Z-aaaa';
    await take(id, Date.now() - 50 * HOUR);
    await one.snapshots.confirm(id, { at: new Date(Date.now() - HOUR).toISOString(), runId: 'later' });
    expect(await told(0)).toBeUndefined();
    await take('backup-transport-20261121T030000Z-bbbb', Date.now() + 500 * HOUR);
    expect(await told(27 * HOUR)).toBe('overdue 1');
  });
});

describe('the gauges of a route', () => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** A worker that keeps its gauges up to date, and what they say now: last good, last proven. */
  function worker(routes: Parameters<typeof recordRouteMetrics>[1] = []) {
    const said = new Map<string, number>();
    const createGauge = (name: string) => ({
      set: (value: number, { route: of }: { route: string }) => void said.set(`${name} ${of}`, value),
    });
    const failed = (why: unknown) => {
      throw why;
    };
    const meter = { createGauge } as unknown as MetricMeter;
    stops.push(recordRouteMetrics(meter, routes, one.snapshots, failed, 10));
    return () =>
      ['good_snapshot', 'proven'].map((what) =>
        said.get(`portolan_last_${what}_timestamp_seconds transport`),
      );
  }

  it('are the same from every worker, also from one that just started', async () => {
    const early = worker();
    const id = 'backup-transport-20261120T030000Z-aaaa';
    const at = Math.floor(Date.now() / 1000) - 3600;
    await take(id, at * 1000);
    await one.snapshots.prove(id, {
      level: 'previewed',
      at: new Date((at + 60) * 1000).toISOString(),
      portal: 'p',
      runId: 'd',
      items: 1,
    });
    const later = worker();
    for (const each of [early, later])
      await until('the gauges say it', () => isDeepStrictEqual(each(), [at, at + 60]));
    await one.store.remove(keys.snapshotManifest(id));
    for (const each of [early, later])
      await until('it is told no more', () => isDeepStrictEqual(each(), [0, 0]));
  });

  it('say never when a configured route has no snapshot', async () => {
    const told = worker([{ name: 'transport', backup: { maxAgeMs: HOUR, tags: [] } }]);
    await until('the gauges say it', () => isDeepStrictEqual(told(), [0, undefined]));
  });
});

describe('the age of a rule', () => {
  const rule = { name: 'protect/gis/official', groupId: '', maxAgeMs: 26 * HOUR };
  const ofGroup = async (groupId: string, hoursAgo: number) => {
    const taken = await take(`backup-${groupId}`, Date.now() - hoursAgo * HOUR);
    await one.store.writeJson(keys.snapshotManifest(taken.id), {
      ...taken,
      route: `${rule.name}/${groupId}`,
    });
  };

  it('is that of its worst group, and names the command for all groups', async () => {
    const groups = ['a', 'b'].map((id) => ({ id, title: id }));
    const known = { runId: 'r', at: new Date().toISOString(), groups, former: [] };
    await one.store.writeJson(keys.ruleGroups(rule.name), known);
    await ofGroup('a', 1);
    expect((await look(0, rule)).notice).toBeUndefined();
    await ofGroup('b', 30);
    expect((await look(0, rule)).notice).toMatchObject({
      event: 'overdue',
      commands: ['portolan schedule list', 'portolan protect run gis/official'],
    });
  });
});
