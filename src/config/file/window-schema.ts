import ms from 'ms';
import { z } from 'zod';
import type { Window } from '../../model/run/policy';
import { parseCron } from '../../model/schedule/cron';
import { isTimeZone } from '../../model/schedule/time-zone';
import { duration } from './plain-values';

const OPEN_MIN_MS = ms('1m');
/** For longer times, use `deny`. */
const OPEN_MAX_MS = ms('31d');

const timezone = z
  .string()
  .refine(isTimeZone, 'is not a time zone; write one such as Europe/Berlin')
  .default('UTC');

const cron = z.string('write the five cron fields in quotes').superRefine((text, context) => {
  const read = parseCron(text);
  if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem });
});

const day = z
  .string('write a day as 2026-12-18')
  .refine((text) => isDay(text), 'is not a day; write it as 2026-12-18')
  .meta({ form: 'day' });

const allow = z.strictObject({
  cron: cron.meta({
    form: 'five fields',
    description: 'when a window for [starting imports](../guide/access.md) opens',
  }),
  for: duration
    .refine((given) => given >= OPEN_MIN_MS && given <= OPEN_MAX_MS, 'is from 1m to 31d')
    .describe('how long it stays open (1m to 31d), in elapsed time'),
  timezone: timezone.meta({ form: 'name', description: 'time zone of `cron`' }),
});

const deny = z.strictObject({
  from: day.describe('first day on which no import starts'),
  to: day.describe('last such day'),
  timezone: timezone.meta({ form: 'name', description: 'time zone of these days' }),
  reason: z.string().min(1).optional().describe('reason, shown in waiting runs'),
});

/** `unclearWindows` requires either `allow` or `deny`. */
const window = z.strictObject({ allow: allow.optional(), deny: deny.optional() });
type WindowFile = z.infer<typeof window>;

export const windows = z.array(window).default([]);

const sketch = z.object({ policy: z.object({ windows: z.array(z.unknown()) }) });
const plainWindow = z.record(z.string(), z.unknown());
const days = z.object({ from: day, to: day });

/** Problems of a portal's windows, each with its place. */
export function unclearWindows(setting: string, portal: unknown): string[] {
  const read = sketch.safeParse(portal);
  if (!read.success) return [];
  return read.data.policy.windows.flatMap((each, index) => {
    const { data: given } = plainWindow.safeParse(each);
    if (!given) return [];
    if ('allow' in given === 'deny' in given) return [`${setting}.${index}: set either allow or deny`];
    const { data: denied } = days.safeParse(given['deny']);
    return denied && denied.from > denied.to
      ? [`${setting}.${index}.deny: ends on ${denied.to}, before it begins on ${denied.from}`]
      : [];
  });
}

/** A window as portolan.yaml has it. */
export function compileWindow({ allow: opens, deny: denied }: WindowFile): Window {
  if (opens) {
    const { cron: fields, for: forMs, timezone: zone } = opens;
    return { kind: 'allow', cron: fields.trim().split(/\s+/).join(' '), forMs, timezone: zone };
  }
  if (denied) return { kind: 'deny', ...denied };
  throw new TypeError('a window needs allow or deny');
}

/** Whether the calendar has it. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}
