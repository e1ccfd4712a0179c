import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { name, parseDuration, parseSize } from '../../config/file/plain-values';
import { reasonText } from '../../model/run/run';
import type { Exclusion } from '../../model/transfer/route';
import { parseTaskRef, TASK_REF_FORM } from '../../model/portal-change/task-run';

/** A parser of what is typed, with what to write where it finds nothing. */
const parser =
  <T>(parse: (text: string) => T | undefined, problem: string) =>
  (text: string): T => {
    const parsed = parse(text);
    if (parsed === undefined) throw new InvalidArgumentError(problem);
    return parsed;
  };

const numberParser = (isValid: (parsed: number) => boolean, problem: string) =>
  parser((text) => (text.trim() !== '' && isValid(Number(text)) ? Number(text) : undefined), problem);

/** Milliseconds of `--timeout 90s`. */
export const durationArgument = parser(parseDuration, 'Write a duration with a unit, such as 90s or 2h.');

/** Bytes of `5GB`. */
export const sizeArgument = parser(parseSize, 'Write a size such as 500MB or 5GB.');

export const numberArgument = numberParser(
  (parsed) => parsed >= 0 && parsed < Infinity,
  'Write a number of at least 0.',
);

export const countArgument = numberParser(
  (parsed) => parsed >= 1 && Number.isInteger(parsed),
  'Write a whole number of at least 1.',
);

/** An exit status. */
export const statusArgument = numberParser(
  (parsed) => parsed >= 0 && parsed <= 255 && Number.isInteger(parsed),
  'Write a whole number from 0 to 255.',
);

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Milliseconds since the epoch, from `2026-11-21T03:00` or `2026-11-21`; in the local time zone unless it names one.
 */
export const momentArgument = parser((text) => {
  const at = isoTime.test(text) ? Date.parse(text.includes('T') ? text : `${text}T00:00`) : NaN;
  return Number.isNaN(at) ? undefined : at;
}, 'Write a time such as 2026-11-21T03:00, or a day.');

/** A reason, saved with the run. */
export const reasonArgument = parser(
  (text) => reasonText.safeParse(text).data,
  'Write a reason of 1 to 2,000 characters.',
);

/** A portal task, from `PORTAL/USER/TASK` or `PORTAL/USER/TASK/TASK-RUN`. */
export const taskArgument = parser(parseTaskRef, `Write ${TASK_REF_FORM}.`);

/** A name of a portal or route. */
export function nameArgument(text: string): string {
  const parsed = name.safeParse(text);
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  throw new InvalidArgumentError(`${capitalized(problem?.message ?? 'not a name')}.`);
}

const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Texts of an option that can be repeated. */
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Item IDs from `a,b`, or from a file `@FILE` with one or more per line. */
export function itemsArgument(text: string, before: readonly string[] = []): string[] {
  const given = text.startsWith('@') ? readList(text.slice(1)) : text;
  const ids = given.split(/[\s,]+/).filter((id) => id !== '');
  if (ids.length === 0) throw new InvalidArgumentError('It contains no item ID.');
  const bad = ids.find((id) => !/^[A-Za-z0-9_-]+$/.test(id));
  if (bad !== undefined) throw new InvalidArgumentError(`"${bad}" is not an item ID.`);
  return [...new Set([...before, ...ids])];
}

/** Exclusions: `type:TYPE`, `tag:TAG`, or item IDs as in `itemsArgument`. */
export function excludeArgument(text: string, before: Exclusion = {}): Exclusion {
  const [, kind, value = ''] = /^(type|tag):(.*)$/s.exec(text) ?? [];
  if (kind === undefined) return { ...before, items: itemsArgument(text, before.items) };
  const named = value.trim();
  if (named === '') throw new InvalidArgumentError(`Write a ${kind} after "${kind}:".`);
  return kind === 'type'
    ? { ...before, types: [...(before.types ?? []), named] }
    : { ...before, tags: [...(before.tags ?? []), named] };
}

function readList(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new InvalidArgumentError(`${file} cannot be read (${(thrown as NodeJS.ErrnoException).code}).`);
  }
}

/** Descriptions of arguments that several commands take. */
export const argumentHelp = {
  run: "ID, unique ID suffix or 'latest'",
  snapshot: "ID, unique ID suffix, 'latest' or 'latest:ROUTE'",
  release: "ID, unique ID suffix, 'latest' or 'latest:PIPELINE'",
  route: 'Route in portolan.yaml',
  pipeline: 'Pipeline in portolan.yaml',
  stage: 'Stage of the pipeline',
  rule: 'RULE in portolan.yaml, or PORTAL/RULE',
  portal: 'Portal in portolan.yaml',
  portalOrStage: 'Portal in portolan.yaml, or PIPELINE/STAGE',
  schedule: 'Schedule name',
  server: 'Server URL (default: PORTOLAN_SERVER or portolan.yaml)',
  inputFile: "YAML or JSON file, as written by 'export'; '-' is stdin",
  outputFile: "Output file, overwritten if it exists (default: '-', stdout)",
} as const;

const heading = 'Run options:';

/** Options of all commands that start a run. */
export const noWaitOption = () =>
  new Option('--no-wait', 'Print the run ID and exit once accepted').helpGroup(heading);

export const timeoutOption = () =>
  new Option('--timeout <duration>', 'Stop waiting after DURATION; the run continues')
    .argParser(durationArgument)
    .helpGroup(heading);

export const requestIdOption = () =>
  new Option('--request-id <key>', 'Start at most one run per KEY').helpGroup(heading);

export const reasonOption = () =>
  new Option('--reason <text>', 'Reason, saved with the run').argParser(reasonArgument).helpGroup(heading);
