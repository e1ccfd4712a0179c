import leven from 'leven';
import type { z } from 'zod';

/** Names of the settings allowed below a place; undefined if unknown. */
export type KnownSettings = (path: readonly PropertyKey[]) => readonly string[];

/**
 * Problems, one per line, with what to write; never the value, which may be a secret.
 * @param whole what a problem of the whole is said of
 * @param known for names that there are not: which one was meant
 */
export const problemLines = (error: z.ZodError, whole: string, known: KnownSettings = () => []): string[] =>
  error.issues.flatMap((issue) => describe(issue, whole, known));

/** An unknown name, with the likely intended one. */
function unknownSetting(path: string, name: string, known: readonly string[]): string {
  // A name of another variant is not a typing error.
  const near = known.includes(name) ? undefined : nearest(name, known);
  return `${path}: unknown setting${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** The problem of a name that is not defined. */
export const unknownName = (
  place: string,
  what: string,
  given: string | undefined,
  known: readonly string[],
): string[] =>
  given === undefined || known.includes(given)
    ? []
    : [`${place}: unknown ${what} "${given}"; defined: ${known.join(', ') || 'none'}`];

/** The most similar name, if it is similar enough. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: leven(each.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  return best && best.distance <= Math.max(2, name.length / 3) ? best.each : undefined;
}

function describe(issue: z.core.$ZodIssue, whole: string, known: KnownSettings): string[] {
  const at = (path: readonly PropertyKey[]): string => path.map(String).join('.') || whole;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownSetting(at([...issue.path, key]), key, known(issue.path)));
    case 'invalid_key':
      return issue.issues.map((inner) => `${at(issue.path)}: ${inner.message}`);
    case 'invalid_type':
      if (issue.input === undefined && issue.message.includes('received undefined'))
        return [`${at(issue.path)}: is missing`];
      return [`${at(issue.path)}: ${issue.message.replace('Invalid input: ', '')}`];
    case 'invalid_value':
      return [`${at(issue.path)}: write ${issue.values.map(String).join(' or ')}`];
    default:
      return [`${at(issue.path)}: ${issue.message}`];
  }
}

/** `FILE has 2 problems:` and a line for each. */
export function problemText(subject: string, problems: readonly string[]): string {
  const list = problems.map((problem) => `  ${problem}`).join('\n');
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return `${subject} has ${count}:\n${list}`;
}
