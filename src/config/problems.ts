import type { z } from 'zod';

/**
 * What is wrong, one line a problem, in words that say what to write; never the value, which may be a secret.
 *
 * @param whole what a problem of the whole is said of
 */
export const problemLines = (error: z.ZodError, whole: string): string[] =>
  error.issues.flatMap((issue) => describe(issue, whole));

function describe(issue: z.core.$ZodIssue, whole: string): string[] {
  const at = (path: readonly PropertyKey[]): string => path.map(String).join('.') || whole;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => `${at([...issue.path, key])}: there is no such setting`);
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
