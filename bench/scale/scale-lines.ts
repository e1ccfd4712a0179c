import type { Finding } from '../finding-runs';
import { formatBytes, type Line } from '../report';
import { type Events, rateOf } from './events';
import type { Costs } from './promotion';
import { APPLY, type ScheduleLook } from './schedules';
import type { WholePortal } from './whole-portal';

/** What is promised of many at once; `npm run bench:scale` ends with 1 where less comes out. */
export const promises = {
  /** Events a second of syncs, at the least, as a part of those of bare workflows. */
  events: 0.8,
  /** The longest that nothing may happen in any of the runs. @format milliseconds */
  pauseMs: 60_000,
  /** Two workers against one, at the least. */
  workers: 1.7,
  /** What a group of many costs, at the most, against one of ten. */
  group: 1.1,
  /** How much longer a look among many takes, at the most, than among a hundred. */
  found: 1.5,
  /** Longest look at 500 schedules. @format milliseconds */
  scheduleLookMs: 1_000,
  /** Longest `schedule apply` of 500 schedules that changes nothing. @format milliseconds */
  scheduleApplyMs: 5_000,
  /** Longest history of a rule's run, of those that Temporal lets through. */
  ruleEvents: 10_000,
  /** @format bytes */
  ruleBytes: 10 * 1024 ** 2,
  /** Counting 50,000 items of a portal that takes 50 ms for an answer. @format milliseconds */
  coverageMs: 600_000,
  /** Longest look at such a portal's protection, with 10,000 records and as many snapshots. @format milliseconds */
  portalLookMs: 1_000,
} as const;

/** Looks that are promised here; `npm run bench` has all of them. */
const LOOKS = ['run show ID', 'run list'];

export function bareLines({
  syncs,
  activities,
  locals,
  ours,
  bare,
}: {
  readonly syncs: number;
  readonly activities: number;
  readonly locals: number;
  readonly ours: Events;
  readonly bare: Events;
}): Line[] {
  const ratio = rateOf(ours) / rateOf(bare);
  return [
    {
      what: `${syncs} syncs at once`,
      ours: perSecond(ours),
      against: `as many bare workflows, ${activities} activities and ${locals} local ones each: ${perSecond(bare)}`,
      ratio: ratio.toFixed(2),
      promised: `at least ${promises.events}`,
      kept: ratio >= promises.events,
    },
    pauseLine(syncs, ours, bare),
  ];
}

const pauseLine = (syncs: number, ours: Events, bare: Events): Line => ({
  what: `the longest pause of ${syncs} syncs`,
  ours: seconds(ours.longestPauseMs),
  against: `the bare ones ${seconds(bare.longestPauseMs)}`,
  ratio: '',
  promised: `below ${seconds(promises.pauseMs)}`,
  kept: ours.longestPauseMs < promises.pauseMs,
});

export function workersLine({
  syncs,
  answerMs,
  slots,
  one,
  two,
}: {
  readonly syncs: number;
  readonly answerMs: number;
  readonly slots: number;
  readonly one: Events;
  readonly two: Events;
}): Line {
  const ratio = one.spanMs / two.spanMs;
  return {
    what: `${syncs} syncs, two workers of ${slots} slots, answers after ${answerMs} ms`,
    ours: seconds(two.spanMs),
    against: `one worker ${seconds(one.spanMs)}`,
    ratio: ratio.toFixed(2),
    promised: `at least ${promises.workers}`,
    kept: ratio >= promises.workers,
  };
}

export function groupsLine({ few, many }: Costs): Line {
  const [each, eachOfFew] = [many.ms / many.groups, few.ms / few.groups];
  const ratio = each / eachOfFew;
  return {
    what: `a group of a promotion of ${many.groups}`,
    ours: `${Math.round(each)} ms`,
    against: `of ${few.groups}: ${Math.round(eachOfFew)} ms`,
    ratio: ratio.toFixed(2),
    promised: `at most ${promises.group}`,
    kept: ratio <= promises.group,
  };
}

export const lookLines = ({ records, executions, looks }: Finding): Line[] =>
  looks
    .filter(({ what }) => LOOKS.includes(what))
    .map(({ what, few, many }) => ({
      what: `${what}, ${records} records, ${executions} in Temporal`,
      ours: `${many.toFixed(1)} ms`,
      against: `among 100 ${few.toFixed(1)} ms`,
      ratio: (many / few).toFixed(2),
      promised: `at most ${promises.found}`,
      kept: many / few <= promises.found,
    }));

export const scheduleLines = (schedules: number, looks: readonly ScheduleLook[]): Line[] =>
  looks.map(({ what, few, many }) => {
    const most = what === APPLY ? promises.scheduleApplyMs : promises.scheduleLookMs;
    return {
      what: `${what}, ${schedules} schedules`,
      ours: `${Math.round(many)} ms`,
      against: `of 10: ${Math.round(few)} ms`,
      ratio: (many / few).toFixed(2),
      promised: `below ${seconds(most)}`,
      kept: many < most,
    };
  });

export function portalLines({
  groups,
  items,
  rule,
  coverage,
  records,
  snapshots,
  looks,
}: WholePortal): Line[] {
  const line = (what: string, ours: string, promised: string, kept: boolean): Line => ({
    what,
    ours,
    against: '',
    ratio: '',
    promised,
    kept,
  });
  return [
    line(
      `longest history of a rule of ${groups} groups, ${items} items, in ${seconds(rule.ms)}`,
      `${rule.events} events, ${rule.bytes} bytes`,
      `below ${promises.ruleEvents}, ${formatBytes(promises.ruleBytes)}`,
      rule.events < promises.ruleEvents && rule.bytes < promises.ruleBytes,
    ),
    line(
      `coverage of ${items} items, ${coverage.requests} answers of ${coverage.answerMs} ms`,
      seconds(coverage.ms),
      `below ${seconds(promises.coverageMs)}`,
      coverage.ms < promises.coverageMs,
    ),
    ...looks.map(({ what, ms }) =>
      line(
        `${what}, ${snapshots} snapshots, ${records} records`,
        `${Math.round(ms)} ms`,
        `below ${seconds(promises.portalLookMs)}`,
        ms < promises.portalLookMs,
      ),
    ),
  ];
}

const perSecond = (events: Events): string => `${Math.round(rateOf(events))} events/s`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
