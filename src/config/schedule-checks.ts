import { z } from 'zod';
import { parseCron } from '../model/schedule/cron';
import type { ScheduledKind } from '../model/schedule/schedule';
import { isTimeZone } from '../model/schedule/time-zone';

const text = z.string().optional().catch(undefined);

/** The parts of a schedule that are checked against the rest of the file. */
export const plainSchedule = z
  .object({
    kind: text,
    route: z.unknown().optional(),
    pipeline: z.unknown().optional(),
    stage: z.unknown().optional(),
    release: z.unknown().optional(),
    reason: z.unknown().optional(),
    import: z.unknown().optional(),
    cron: text,
    timezone: text,
  })
  .catch({});
type PlainSchedule = z.infer<typeof plainSchedule>;

/** Names in the file that a schedule can use. */
interface Known {
  /** Routes by name, and whether each has a drill target. */
  readonly hasDrill: ReadonlyMap<string, boolean>;
  /** The pipelines by name, with the names of their stages. */
  readonly stagesOf: ReadonlyMap<string, readonly string[]>;
}

/** Problems of a schedule, each with its place. */
export function scheduleProblems(setting: string, schedule: PlainSchedule, known: Known): string[] {
  const { cron, timezone } = schedule;
  const problems = subjectProblems(setting, schedule, known);
  const read = cron === undefined ? undefined : parseCron(cron);
  if (read && 'problem' in read) problems.push(`${setting}.cron: ${read.problem}`);
  if (timezone !== undefined && !isTimeZone(timezone))
    problems.push(`${setting}.timezone: is not a time zone; write one such as Europe/Berlin`);
  return problems;
}

/** The kinds that have a key, for keys that not all kinds have. */
const kindsWith = {
  route: ['backup', 'sync', 'drill'],
  pipeline: ['release', 'promote'],
  stage: ['promote'],
  release: ['promote'],
  reason: ['release', 'promote'],
  import: ['drill'],
} as const satisfies Record<string, readonly ScheduledKind[]>;
const keys = Object.keys(kindsWith) as (keyof typeof kindsWith)[];

function subjectProblems(
  setting: string,
  { kind = 'backup', ...given }: PlainSchedule,
  { hasDrill, stagesOf }: Known,
): string[] {
  const has = (key: keyof typeof kindsWith): boolean => (kindsWith[key] as readonly string[]).includes(kind);
  const foreign = keys
    .filter((key) => given[key] !== undefined && !has(key))
    .map((key) => `${setting}.${key}: needs kind: ${kindsWith[key].join(' or ')}`);
  const known = { route: [...hasDrill.keys()], pipeline: [...stagesOf.keys()] };
  const unknown = (['route', 'pipeline'] as const).filter(has).flatMap((what) => {
    const name = given[what];
    if (name === undefined) return [`${setting}.${what}: is missing`];
    if (typeof name !== 'string' || known[what].includes(name)) return [];
    const names = known[what].join(', ') || 'none';
    return [`${setting}.${what}: unknown ${what} "${name}"; defined: ${names}`];
  });
  if (kind === 'drill' && typeof given.route === 'string' && hasDrill.get(given.route) === false)
    unknown.push(`${setting}.route: routes.${given.route}.backup.drill is not set`);
  return [...unknown, ...stageProblems(setting, kind, given, stagesOf), ...foreign];
}

function stageProblems(
  setting: string,
  kind: string,
  { pipeline, stage }: Pick<PlainSchedule, 'pipeline' | 'stage'>,
  stagesOf: Known['stagesOf'],
): string[] {
  if (kind !== 'promote') return [];
  if (stage === undefined) return [`${setting}.stage: is missing`];
  const stages = typeof pipeline === 'string' ? stagesOf.get(pipeline) : undefined;
  if (stages === undefined || typeof stage !== 'string') return [];
  if (stage === stages[0])
    return [`${setting}.stage: is the first stage, where releases are created; nothing is promoted there`];
  return stages.includes(stage)
    ? []
    : [`${setting}.stage: unknown stage "${stage}"; defined: ${stages.join(', ')}`];
}
