import { PortolanError } from '../model/errors/errors';

/** What the IDs of a store name. */
type Kind = 'release' | 'snapshot';

/** Candidates listed if several match, or none. */
const LISTED_MAX = 10;

/**
 * The ID that a person means: it, or an end of it that no other has. Throws RELEASE_NOT_FOUND or SNAPSHOT_NOT_FOUND with
 * what there is, and USAGE with the candidates.
 * @param ids the oldest first
 */
export function resolveId(kind: Kind, text: string, ids: readonly string[], where: string): string {
  if (ids.includes(text)) return text;
  const fitting = text === '' ? [] : ids.filter((id) => id.endsWith(text));
  const [only, ...others] = fitting;
  if (only === undefined) throw notFoundError(kind, `"${text}"`, ids.toReversed(), where);
  if (others.length === 0) return only;
  throw new PortolanError('USAGE', `"${text}" matches ${fitting.length} ${kind}s:\n${listIds(fitting)}`, {
    hint: 'Type more of the ID.',
  });
}

/** @param ids that could be meant instead */
export function notFoundError(
  kind: Kind,
  what: string,
  ids: readonly string[],
  where: string,
): PortolanError {
  const there = ids.length === 0 ? 'the store has none' : `the store has:\n${listIds(ids)}`;
  return new PortolanError(
    kind === 'release' ? 'RELEASE_NOT_FOUND' : 'SNAPSHOT_NOT_FOUND',
    `no ${kind} ${what} in the store at ${where}; ${there}`,
  );
}

export const listIds = (ids: readonly string[]): string =>
  [
    ...ids.slice(0, LISTED_MAX).map((id) => `  ${id}`),
    ...(ids.length > LISTED_MAX ? [`  and ${ids.length - LISTED_MAX} more`] : []),
  ].join('\n');
