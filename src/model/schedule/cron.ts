/** The times of day and the days at which a cron expression is due: each field as the values that it allows. */
export interface Cron {
  /** 0 to 59. */
  readonly minutes: readonly number[];
  /** 0 to 23. */
  readonly hours: readonly number[];
  /** 1 to 31. */
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0, Sunday, to 6. */
  readonly daysOfWeek: readonly number[];
}

interface Field {
  readonly key: keyof Cron;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** Three letters each, in the order of the values. */
  readonly names?: readonly string[];
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const dayNames = 'sun mon tue wed thu fri sat'.split(' ');

/** In the order in which they are written. */
const fields: readonly Field[] = [
  { key: 'minutes', title: 'minute', from: 0, to: 59 },
  { key: 'hours', title: 'hour', from: 0, to: 23 },
  { key: 'daysOfMonth', title: 'day of month', from: 1, to: 31 },
  { key: 'months', title: 'month', from: 1, to: 12, names: monthNames },
  // 7 is a second name of Sunday.
  { key: 'daysOfWeek', title: 'day of week', from: 0, to: 7, names: dayNames },
];

/**
 * Reads the five fields of cron: `*`, values, names of months and days, ranges `a-b`, lists `a,b` and steps `/n`.
 * Where both days are given, both have to fit, as Temporal has it: `0 3 1-7 * SUN` is the first Sunday.
 * Returns what is wrong in words that follow the place of the text.
 */
export function parseCron(text: string): Cron | { readonly problem: string } {
  const given = text.trim().split(/\s+/);
  if (given.length !== fields.length)
    return { problem: 'has five fields: minute, hour, day of month, month, day of week' };
  const values = fields.map((field, index) => valuesOf(field, given[index] ?? ''));
  const problems = values.filter((each) => typeof each === 'string');
  if (problems.length > 0) return { problem: problems.join('; ') };
  const [minutes, hours, daysOfMonth, months, days] = values as number[][] as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  const cron = { minutes, hours, daysOfMonth, months, daysOfWeek: sorted(days.map((day) => day % 7)) };
  if (!hasDay(cron)) return { problem: 'is never due: no such month has such a day' };
  return cron;
}

/** Whether one of the months, of a leap year, has one of the days. */
const hasDay = ({ months, daysOfMonth }: Cron): boolean =>
  months.some((month) => daysOfMonth.some((day) => day <= new Date(Date.UTC(2024, month, 0)).getUTCDate()));

function valuesOf(field: Field, text: string): number[] | string {
  const { title, from, to } = field;
  const values: number[] = [];
  for (const part of text.split(',')) {
    const [, range = '', stepText] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const step = stepText === undefined ? 1 : Number(stepText);
    const [first, last] = ends(field, range, stepText !== undefined);
    if (first === undefined || last === undefined || step < 1)
      return `the ${title} "${part}" is not one; write ${from} to ${to}, a list, a range or a step`;
    if (first < from || last > to || first > last)
      return `the ${title} "${part}" is not within ${from} to ${to}`;
    for (let value = first; value <= last; value += step) values.push(value);
  }
  return sorted(values);
}

/** Of `*`, `a`, `a-b`; of `a/n`, where `a` is the first of all up to the end. */
function ends(field: Field, range: string, hasStep: boolean): [number | undefined, number | undefined] {
  // With a step, Sunday would come twice a week.
  const end = field.key === 'daysOfWeek' ? 6 : field.to;
  if (range === '*') return [field.from, end];
  const [first, last, ...others] = range.split('-').map((word) => valueOf(field, word));
  if (others.length > 0) return [undefined, undefined];
  return [first, range.includes('-') ? last : hasStep ? end : first];
}

function valueOf({ names, from }: Field, word: string): number | undefined {
  if (/^\d{1,2}$/.test(word)) return Number(word);
  const at = names?.indexOf(word.toLowerCase()) ?? -1;
  return at < 0 ? undefined : at + from;
}

const sorted = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
