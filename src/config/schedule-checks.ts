import { z } from 'zod';
import { parseCron } from '../model/schedule/cron';
import { isTimeZone } from '../model/schedule/zone';

const text = z.string().optional().catch(undefined);

/** As much of a schedule as is checked against the rest of the file. */
export const plainSchedule = z
  .object({
    kind: text,
    route: text,
    cron: text,
    timezone: text,
    import: z.boolean().optional().catch(undefined),
  })
  .catch({});

/**
 * What is wrong with a schedule, each with its place.
 * @param hasDrill the routes by name, and whether each says where it is drilled
 */
export function unclearSchedule(
  place: string,
  { kind, route, cron, timezone, import: imports }: z.infer<typeof plainSchedule>,
  hasDrill: ReadonlyMap<string, boolean>,
): string[] {
  const problems: string[] = [];
  if (route !== undefined && !hasDrill.has(route)) {
    const known = [...hasDrill.keys()].join(', ') || 'none';
    problems.push(`${place}.route: there is no route "${route}"; the routes are: ${known}`);
  } else if (route !== undefined && kind === 'drill' && hasDrill.get(route) === false) {
    problems.push(`${place}.route: routes.${route}.backup.drill does not say where to drill`);
  }
  const read = cron === undefined ? undefined : parseCron(cron);
  if (read && 'problem' in read) problems.push(`${place}.cron: ${read.problem}`);
  if (timezone !== undefined && !isTimeZone(timezone))
    problems.push(`${place}.timezone: is not the name of a time zone; write one such as Europe/Berlin`);
  if (imports !== undefined && kind !== 'drill') problems.push(`${place}.import: belongs to kind: drill`);
  return problems;
}
