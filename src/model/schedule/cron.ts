import { CronDate, CronExpressionParser } from 'cron-parser';

/** What the five fields of a cron expression allow, each sorted. */
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

/** In the order in which they are written, each with what the library knows beyond it left out. */
const fields = [
  { key: 'minute', title: 'minute', range: '0 to 59', form: /^[\d*/-]+$/ },
  { key: 'hour', title: 'hour', range: '0 to 23', form: /^[\d*/-]+$/ },
  { key: 'dayOfMonth', title: 'day of month', range: '1 to 31', form: /^[\d*/-]+$/ },
  { key: 'month', title: 'month', range: '1 to 12 or jan to dec', form: /^([\d*/-]|[a-z]{3})+$/i },
  { key: 'dayOfWeek', title: 'day of week', range: '0 to 7 or sun to sat', form: /^([\d*/-]|[a-z]{3})+$/i },
] as const;

/**
 * Reads the five fields of cron: `*`, values, names of three letters, ranges `a-b`, lists `a,b` and steps `/n`. That is
 * what Temporal's server takes; there both days have to fit, and when it is due is for the server to say.
 * Returns what is wrong in words that follow the place of the text.
 */
export function parseCron(text: string): Parsed {
  const known = parsed.get(text);
  if (known) return known;
  const read = readCron(text);
  if (parsed.size >= PARSED_MAX) parsed.clear();
  parsed.set(text, read);
  return read;
}

type Parsed = Cron | { readonly problem: string };

/** Hundreds of schedules have few texts, each of which takes the library about a millisecond. */
const parsed = new Map<string, Parsed>();
const PARSED_MAX = 1_000;

function readCron(text: string): Parsed {
  const given = text.trim().split(/\s+/);
  if (given.length !== fields.length)
    return { problem: 'has five fields: minute, hour, day of month, month, day of week' };
  const problems: string[] = [];
  const [minutes = [], hours = [], daysOfMonth = [], months = [], days = []] = given.map((list, index) =>
    sorted(
      list.split(',').flatMap((part) => {
        const values = valuesOf(index, part);
        if (values !== undefined) return values;
        problems.push(
          `"${part}" is not a valid ${fields[index]?.title}; write ${fields[index]?.range}, a list, a range or a step`,
        );
        return [];
      }),
    ),
  );
  if (problems.length > 0) return { problem: problems.join('; ') };
  // With both given, the library looks whether one of these months has one of these days.
  if (!isCron(`* * ${daysOfMonth.join()} ${months.join()} *`))
    return { problem: 'is never due: no such month has such a day' };
  // 7 is a second name of Sunday.
  return { minutes, hours, daysOfMonth, months, daysOfWeek: sorted(days.map((day) => day % 7)) };
}

/** Whether a clock shows a day that a cron expression names, where both the month and the week name one. */
export const isNamedDay = ({ months, daysOfMonth, daysOfWeek }: Cron, clock: CronDate): boolean =>
  months.includes(clock.getMonth() + 1) &&
  daysOfMonth.includes(clock.getDate()) &&
  daysOfWeek.includes(clock.getDay());

/** Whether the clock of a time zone shows a time that a cron expression names. @param at milliseconds since the epoch */
export function isNamedTime(cron: Cron, timezone: string, at: number): boolean {
  const clock = new CronDate(at, timezone);
  return (
    at % 60_000 === 0 &&
    cron.minutes.includes(clock.getMinutes()) &&
    cron.hours.includes(clock.getHours()) &&
    isNamedDay(cron, clock)
  );
}

/** Of one entry of a list, by itself: the library refuses a list that names a value twice, which Temporal takes. */
function valuesOf(index: number, part: string): number[] | undefined {
  const field = fields[index];
  const alone = fields.map((each) => (each === field ? part : '*')).join(' ');
  if (!field?.form.test(part) || !isCron(alone)) return undefined;
  return CronExpressionParser.parse(alone).fields[field.key].values.map(Number);
}

function isCron(text: string): boolean {
  try {
    CronExpressionParser.parse(text);
    return true;
  } catch {
    return false;
  }
}

const sorted = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

/** Whether it is the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  // Offsets such as `+02:00` are known here, but not to Temporal's server.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Any case is known here, but the server looks for a file of that name.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
