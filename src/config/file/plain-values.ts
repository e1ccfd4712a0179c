import { z } from 'zod';
import bytes from 'bytes';
import ms, { type StringValue } from 'ms';
import { parseCron, isTimeZone } from '../../model/schedule/cron';
import { Secret } from '../../secrets/secret';
import { urlProblem, type UrlRules } from '../url-problem';

/** Names become part of run ids, file names and search attributes. */
export const name = z
  .string()
  .regex(
    /^(?!.*--)[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
    'a name has up to 63 letters, digits, single hyphens, dots and underscores',
  );

const withoutDots = (what: string) =>
  name.regex(
    /^[^.]*$/,
    `a ${what} name has letters, digits, hyphens and underscores, at most 63; dots are reserved`,
  );

/** A dot in it would make one name of two: `a.b.c` of group `b.c` of pipeline `a`, and of group `c` of pipeline `a.b`. */
export const pipelineName = withoutDots('pipeline');
/** Likewise in the IDs of its runs, behind the name of its portal. */
export const ruleName = withoutDots('rule');

export const hostAndPort = z.string().regex(/^[^\s:/]+:\d+$|^\[[0-9a-f:]+\]:\d+$/i, 'is not HOST:PORT');

/** A count of at least 1. */
export const howMany = z
  .int('write a whole number of at least 1')
  .min(1, 'write a whole number of at least 1')
  .meta({ form: 'integer' });

/** Milliseconds of `6h`, `90s`, `7d`, `0d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^\d+(\.\d+)?\s*(ms|s|m|h|d|w)$/i.test(text.trim())) return undefined;
  return ms(text.trim() as StringValue);
}

/** Bytes of `5GB`, `500MB` or `1048576`, in powers of 1024; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  if (!/^\d+(\.\d+)?\s*(b|kb|mb|gb|tb)?$/i.test(text.trim())) return undefined;
  return bytes.parse(text.trim()) ?? undefined;
}

const howToWriteDurations = 'write a duration with a unit, such as 90s, 6h or 7d';

const durationIn = (wordsBefore: RegExp) =>
  z.string(howToWriteDurations).transform((text, context) => {
    const parsed = parseDuration(text.replace(wordsBefore, ''));
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: howToWriteDurations });
    return z.NEVER;
  });

/** A duration as it is written in portolan.yaml. @format milliseconds */
export const duration = durationIn(/^/).meta({ form: 'duration' });

/** How often something is done: a duration, as `7d` or `every 7d`. @format milliseconds */
export const interval = durationIn(/^\s*every\s+/).meta({ form: 'duration' });

/** A size as it is written in portolan.yaml; a bare number is bytes. @format bytes */
export const size = z
  .union([z.string(), z.number()], 'write a size such as 500MB or 5GB')
  .transform((given, context) => {
    const parsed = parseSize(String(given));
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: 'write a size such as 500MB or 5GB' });
    return z.NEVER;
  })
  .meta({ form: 'size' });

const howToWriteSecrets =
  'do not write the secret itself here; write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }';

/** The three ways to reference a secret. */
const secretReferences = [
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ command: z.array(z.string()).min(1) }),
] as const;

/** A secret. `locate` tells it its place in the file. */
export const secret = z
  .union(secretReferences, {
    error: (issue) => (issue.input === undefined ? 'is missing' : howToWriteSecrets),
  })
  .transform((reference) => new Secret(reference))
  .meta({ form: 'secret' });

/** Signs hooks and notifications: one secret, or two during a rotation. */
export const signingSecrets = z
  .union([...secretReferences, z.array(z.union(secretReferences)).min(1).max(2)], {
    error: (issue) =>
      issue.input === undefined ? 'is missing' : `${howToWriteSecrets}, or a list of two of these`,
  })
  .transform((given) => (Array.isArray(given) ? given : [given]).map((each) => new Secret(each)))
  .meta({ form: 'secret, or two' });

/** The URL of a webhook, which is a secret that may be written in the file. */
export const secretUrl = z
  .union([z.string(), ...secretReferences], {
    error: () => 'write the URL, { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }',
  })
  .transform((given) => new Secret(typeof given === 'string' ? { text: given } : given))
  .meta({ form: 'URL or secret' });

const howToWriteCommands =
  'write the program and its arguments as a list, [PROGRAM, ARGUMENT]; no shell splits them';

/** Program and arguments. */
export const command = z
  .array(z.string(howToWriteCommands), howToWriteCommands)
  .refine(([program]) => Boolean(program), howToWriteCommands)
  .transform(([program = '', ...args]): readonly [string, ...string[]] => [program, ...args]);

/** A URL that can be used under these rules. */
export const usableUrl = (rules: UrlRules) =>
  z
    .string()
    .superRefine((text, context) => {
      const problem = urlProblem(text, rules);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .meta({ form: 'URL' });

/** Five fields of cron, with one blank between them so that two spellings are equal. */
export const cron = z
  .string('write the five cron fields in quotes')
  .superRefine((text, context) => {
    const read = parseCron(text);
    if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem });
  })
  .transform((text) => text.trim().split(/\s+/).join(' '))
  .meta({ form: 'five fields' });

export const timezone = z
  .string()
  .refine(isTimeZone, 'is not a time zone; write one such as Europe/Berlin')
  .default('UTC')
  .meta({ form: 'name' });

/** A map whose entries carry their own names. */
export const named = <Entry extends z.ZodType<object>>(entry: Entry, key = name) =>
  z
    .record(key, entry)
    .transform(
      (given): ReadonlyMap<string, z.output<Entry> & { readonly name: string }> =>
        new Map(Object.entries(given).map(([each, value]) => [each, { ...value, name: each }])),
    );
