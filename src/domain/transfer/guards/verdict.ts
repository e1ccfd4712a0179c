import { bytesText } from '../../../model/text/words';
import type { ErrorCode } from '../../../model/errors/error-codes';
import type { GuardResult } from '../../../model/run/run';

/** Result of a check that did not simply pass: what it saw, what is needed, how to fix it. */
interface Words {
  readonly saw: string;
  readonly needs: string;
  readonly todo: string;
}

export const pass = (name: string, saw: string): GuardResult => ({ name, verdict: 'pass', saw });

export const unknown = (name: string, words: Words): GuardResult => ({ name, verdict: 'unknown', ...words });

export const refuse = (name: string, code: ErrorCode, words: Words): GuardResult => ({
  name,
  verdict: 'refuse',
  ...words,
  code,
});

const NAMED_MAX = 5;

/** The first names of a list, and how many more there are: `"A", "B" and 3 more`. */
export function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return new Intl.ListFormat('en-GB').format(rest > 0 ? [...shown, `${rest} more`] : shown);
}

/** Bytes compared with a limit: exact if rounding would make them look equal. */
export function bytesBeside(bytes: number, limitBytes: number): string {
  const text = bytesText(bytes);
  return text === bytesText(limitBytes) && bytes !== limitBytes ? `${bytes} bytes` : text;
}
