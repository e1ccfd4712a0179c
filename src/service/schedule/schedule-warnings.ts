import { CronDate } from 'cron-parser';
import { type Cron, isNamedDay, parseCron } from '../../model/schedule/cron';
import type { ScheduleSpec } from '../../model/schedule/schedule';
import type { RunInput, Unnamed } from '../../model/run/run-input';
import type { RunRoute } from '../../model/transfer/route';
import type { DesiredSchedule } from './desired-schedules';

/** Warnings about a schedule for its author, one per line. */
export function scheduleWarnings({ name, spec, options }: DesiredSchedule, now: number): string[] {
  const cron = parseCron(spec?.cron ?? '');
  if (!spec || 'problem' in cron) return [];
  const warnings = oddDays(cron, spec.timezone, now).map(({ date, time, starts }) =>
    starts === 'never'
      ? `${name}: on ${date} the clocks of ${spec.timezone} skip ${time}, so it does not start`
      : `${name}: on ${date} the clocks of ${spec.timezone} show ${time} twice, so it may start twice`,
  );
  if (cron.daysOfMonth.length < 31 && cron.daysOfWeek.length < 7) {
    warnings.push(
      `${name}: "${spec.cron}" is due only on days that match both the day of the month and the day of the week`,
    );
  }
  const { route } = options.action.args?.[0] as Unnamed<RunInput>;
  if (spec.kind === 'sync' || spec.kind === 'promote') warnings.push(...approvalWarning(name, spec, route));
  return warnings;
}

function approvalWarning(name: string, spec: ScheduleSpec, { name: route, options }: RunRoute): string[] {
  if (options.approval === 'none') return [];
  const [asking, each] =
    spec.kind === 'promote'
      ? [`pipelines.${route}.stages.${spec.stage}`, 'promotion']
      : [`routes.${route}`, 'run'];
  return [
    `${name}: ${asking} has approval: ${options.approval}, so each ${each} waits for approval of its plan until the next one is due`,
  ];
}

/** A day on which clocks skip or repeat a schedule's time. */
interface OddDay {
  /** `2027-03-28` */
  readonly date: string;
  /** `02:30`, the first of them. */
  readonly time: string;
  readonly starts: 'never' | 'twice';
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * Times of the clock that are left out or repeated where the clocks of a zone are set, within a year. The server goes
 * by the hour that a clock shows; of a time that it shows twice it takes one or both, as the zone may be.
 */
export function oddDays(cron: Cron, timezone: string, from: number): OddDay[] {
  const { minutes, hours } = cron;
  // A schedule for each hour has no time of day to miss.
  if (hours.length === 24) return [];
  const found: OddDay[] = [];
  for (let at = from; at < from + 366 * DAY; at += DAY) {
    const date = new Date(at).toISOString().slice(0, 10);
    const shown = (time: string) => new CronDate(`${date}T${time}`, timezone);
    const day = shown('12:00');
    if (shown('00:00').getUTCOffset() === shown('23:59').getUTCOffset() || !isNamedDay(cron, day)) continue;
    const times = hours.flatMap((hour) =>
      minutes.map((minute) => ({ hour, minute, time: `${two(hour)}:${two(minute)}` })),
    );
    for (const { hour, minute, time } of times) {
      const first = shown(time);
      const isLeftOut = first.getHours() !== hour;
      const isTwice = [-HOUR, HOUR].some((later) => {
        const other = new CronDate(first.getTime() + later, timezone);
        return other.getHours() === hour && other.getMinutes() === minute;
      });
      if (!isLeftOut && !isTwice) continue;
      found.push({ date, time, starts: isLeftOut ? 'never' : 'twice' });
      break;
    }
  }
  return found;
}

const two = (value: number): string => String(value).padStart(2, '0');
