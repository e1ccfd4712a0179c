import { describe, expect, it } from '@jest/globals';
import type { Events } from '../../bench/scale/events';
import { APPLY } from '../../bench/scale/schedules';
import { bareLines, groupsLine, lookLines, scheduleLines, workersLine } from '../../bench/scale/scale-lines';

const events = (spanMs: number, longestPauseMs = 100): Events => ({
  count: 10_000,
  spanMs,
  longestPauseMs,
  activities: 2_000,
  locals: 1_000,
});
const against = (ours: Events) =>
  bareLines({ syncs: 200, activities: 10, locals: 5, ours, bare: events(70_000) });

describe('the table of what goes together', () => {
  it('breaks the promise where syncs write fewer than 0.7 of the events of bare workflows in the same time', () => {
    expect(against(events(100_000))[0]).toMatchObject({ ratio: '0.70', kept: true, ours: '100 events/s' });
    expect(against(events(101_000))[0]).toMatchObject({ ratio: '0.69', kept: false });
  });

  it('breaks it where nothing went on for a minute', () => {
    expect(against(events(70_000, 59_900))[1]).toMatchObject({ ours: '59.9 s', kept: true });
    expect(against(events(70_000, 60_000))[1]).toMatchObject({ kept: false });
  });

  it('breaks it where a second worker saves too little', () => {
    const of = (ms: number) =>
      workersLine({ syncs: 200, answerMs: 150, slots: 6, one: events(170_000), two: events(ms) });
    expect(of(100_000)).toMatchObject({ ratio: '1.70', kept: true });
    expect(of(101_000)).toMatchObject({ kept: false });
  });

  it('compares what one group of many costs with one of ten', () => {
    const of = (ms: number) => groupsLine({ few: { groups: 10, ms: 10_000 }, many: { groups: 1_000, ms } });
    expect(of(1_200_000)).toMatchObject({ ours: '1200 ms', against: 'of 10: 1000 ms', kept: true });
    expect(of(1_210_000)).toMatchObject({ ratio: '1.21', kept: false });
  });

  it('promises one run and the first page of a list, and no other look', () => {
    const looks = ['run show ID', 'run show latest', 'run list'].map((what) => ({ what, few: 10, many: 16 }));
    const lines = lookLines({ records: 100_000, executions: 1_000, looks });
    expect(lines.map(({ what, kept }) => [what.split(',')[0], kept])).toEqual([
      ['run show ID', false],
      ['run list', false],
    ]);
  });

  it('breaks the promise if a look at schedules takes a second, or an apply five', () => {
    const of = (what: string, many: number) => scheduleLines(500, [{ what, few: 10, many }])[0]?.kept;
    expect([of('status', 999), of('status', 1_000)]).toEqual([true, false]);
    expect([of(APPLY, 4_999), of(APPLY, 5_000)]).toEqual([true, false]);
  });
});
