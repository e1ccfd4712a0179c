import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';

/** Candidates listed if several match, or none. */
const NAMED_MAX = 10;

/** What IDs are of, and where they lie. */
interface OfWhat {
  readonly what: string;
  readonly notFound: ErrorCode;
  readonly where: string;
}

/** `latest` or `latest:NAME`; undefined for anything else. */
export function latestOf(text: string): { readonly name?: string } | undefined {
  const found = /^latest(?::(.+))?$/.exec(text);
  return found ? { name: found[1] } : undefined;
}

/**
 * The ID that is meant by a text: itself, or the only one that ends so. Throws the code if there is none, with the
 * newest that exist, and USAGE with the candidates if there are several.
 * @param ids oldest first
 */
export function resolveId(ids: readonly string[], text: string, of: OfWhat): string {
  if (ids.includes(text)) return text;
  const fitting = text === '' ? [] : ids.filter((id) => id.endsWith(text));
  const [only, ...others] = fitting;
  if (only === undefined) throw noSuchId(of, `"${text}"`, [...ids].reverse());
  if (others.length === 0) return only;
  throw new PortolanError('USAGE', `"${text}" matches ${fitting.length} ${of.what}s:\n${listed(fitting)}`, {
    hint: 'Type more of the ID.',
  });
}

/** @param there IDs that exist */
export function noSuchId(
  { what, notFound, where }: OfWhat,
  named: string,
  there: readonly string[],
): PortolanError {
  const known = there.length === 0 ? 'the store has none' : `the store has:\n${listed(there)}`;
  return new PortolanError(notFound, `no ${what} ${named} in the store at ${where}; ${known}`);
}

/** One ID per line. */
export const listed = (ids: readonly string[]): string =>
  [
    ...ids.slice(0, NAMED_MAX).map((id) => `  ${id}`),
    ...(ids.length > NAMED_MAX ? [`  and ${ids.length - NAMED_MAX} more`] : []),
  ].join('\n');
