import {
  type CalendarSpec,
  type CalendarSpecDescription,
  DAYS_OF_WEEK,
  MONTHS,
  type Range,
  type ScheduleSpecDescription,
} from '@temporalio/client';
import { type Cron, parseCron } from '../../model/schedule/cron';

/** The days and times of a cron expression as Temporal's server takes them, with its text for people. */
export function calendarOf(cron: Cron, text: string): CalendarSpec {
  return {
    minute: rangesOf(cron.minutes),
    hour: rangesOf(cron.hours),
    dayOfMonth: rangesOf(cron.daysOfMonth),
    month: rangesOf(cron.months).map((range) => named(range, (value) => MONTHS[value - 1] ?? 'JANUARY')),
    dayOfWeek: rangesOf(cron.daysOfWeek).map((range) =>
      named(range, (value) => DAYS_OF_WEEK[value] ?? 'SUNDAY'),
    ),
    comment: text,
  };
}

const named = <From, To>({ start, end, step }: Range<From>, name: (value: From) => To): Range<To> => ({
  start: name(start),
  end: name(end),
  step,
});

/** All in one range where they are evenly spaced, else one range for each run of neighbours. */
function rangesOf(values: readonly number[]): Range<number>[] {
  const [first = 0, second] = values;
  const last = values.at(-1) ?? first;
  const step = second === undefined ? 1 : second - first;
  if (values.every((value, index) => value === first + index * step))
    return [{ start: first, end: last, step }];
  const ranges: Range<number>[] = [];
  for (const value of values) {
    const range = ranges.at(-1);
    if (range && range.end === value - 1) range.end = value;
    else ranges.push({ start: value, end: value, step: 1 });
  }
  return ranges;
}

/**
 * The cron expression of what the server holds. Somebody may have changed it with another tool: then it is told what
 * it is not.
 */
export function cronTextOf({ calendars, intervals, skip, startAt, endAt }: ScheduleSpecDescription): string {
  const [calendar, ...others] = calendars ?? [];
  const isOurs = others.length === 0 && !intervals?.length && !skip?.length && !startAt && !endAt;
  const text = calendar?.comment ?? '';
  const said = parseCron(text);
  const isSaid =
    isOurs && calendar && !('problem' in said) && JSON.stringify(cronOf(calendar)) === JSON.stringify(said);
  return isSaid ? text : 'times that Portolan did not write';
}

/** What a calendar of the server comes to; undefined where no cron expression says it. */
function cronOf(calendar: CalendarSpecDescription): Cron | undefined {
  const { second, minute, hour, dayOfMonth, month, year, dayOfWeek } = calendar;
  if (year.length > 0 || valuesOf(second).some((value) => value !== 0)) return undefined;
  return {
    minutes: valuesOf(minute),
    hours: valuesOf(hour),
    daysOfMonth: valuesOf(dayOfMonth),
    months: valuesOf(month.map((range) => named(range, (name) => MONTHS.indexOf(name) + 1))),
    daysOfWeek: valuesOf(dayOfWeek.map((range) => named(range, (name) => DAYS_OF_WEEK.indexOf(name)))),
  };
}

function valuesOf(ranges: readonly Range<number>[]): number[] {
  const values = new Set<number>();
  for (const { start, end, step } of ranges) {
    for (let value = start; value <= Math.max(start, end); value += Math.max(1, step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}
