import { z } from 'zod';
import { jsonText, shortened } from '../../model/text/plain-text';
import { LimitExceeded, portalError, tooMuch } from './response-limits';
import { requiredText, toText } from './reading';

/** The beginning of a value of others, in one line and without invisible characters: `"../../etc"`. */
const shownValue = (value: string): string => jsonText(shortened(value, 60));

/** What an id is of, in the words of errors. */
type IdKind = 'portal' | 'item' | 'group' | 'folder' | 'job' | 'package' | 'task' | 'task run' | 'user';

/** The longest id that is believed: four times what portals make. @format characters */
export const ID_CHARACTERS_MAX = 128;

/** Portals make 32 hexadecimal digits, or a GUID with hyphens; others are taken as long as no address can mean another by them. */
const id = /^[A-Za-z0-9_@-][A-Za-z0-9_.@-]*$/;
/** User names are people's own: letters of any script, spaces and signs, but nothing that is a path or cannot be seen. */
const userName = /^(?!\.{1,2}$)[^/\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+$/u;

/** A value that was to be an id and is none. It knows no portal: `withIds` names it. */
class OddId extends Error {
  constructor(
    readonly kind: IdKind,
    readonly seen: string,
  ) {
    super(`${shownValue(seen)} is not a valid ${kind} ID`);
  }
}

function asId(kind: IdKind, value: string): string {
  const isId = value.length <= ID_CHARACTERS_MAX && (kind === 'user' ? userName : id).test(value);
  if (!isId) throw new OddId(kind, value);
  return value;
}

/** An id that must be there. */
export const requiredId = (kind: IdKind) => requiredText.transform((value) => asId(kind, value));

/** An id that may be absent, or empty. */
export const optionalId = (kind: IdKind) =>
  z
    .unknown()
    .transform((value) => idIn(kind, value))
    .optional();

/** The first of these that is a text, as an id; undefined where none is. */
export function idIn(kind: IdKind, ...values: readonly unknown[]): string | undefined {
  const text = values.map(toText).find((each) => each !== undefined);
  return text ? asId(kind, text) : text;
}

/** Whether a text that may be an id, or a sentence, can be one. */
export const isId = (text: string): boolean => text.length <= ID_CHARACTERS_MAX && id.test(text);

/**
 * Reads ids out of an answer, in the name of the portal that gave it.
 * @throws PortolanError ID_REFUSED for one that could be a path, cannot be seen or is too long; ANSWER_TOO_LARGE
 *   for a list that is
 */
export function withIds<T>(
  { portal, operation }: { readonly portal: string; readonly operation: string },
  read: () => T,
): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof LimitExceeded) throw tooMuch(portal, operation, thrown.message);
    if (!(thrown instanceof OddId)) throw thrown;
    const what =
      thrown.kind === 'user'
        ? 'a user name'
        : `${/^[aeiou]/.test(thrown.kind) ? 'an' : 'a'} ${thrown.kind} ID`;
    const words = `answered ${operation} with an invalid value for ${what}: ${shownValue(thrown.seen)}`;
    throw portalError('ID_REFUSED', portal, operation, words);
  }
}
