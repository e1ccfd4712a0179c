import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MAX_TEXT_LENGTH, shortened } from '../../model/text/plain-text';
import { LimitExceeded } from './response-limits';
import { ENTRIES_MAX } from './limits';

/**
 * Tolerant readings of single fields. Portals send null for an unset string, numbers as strings and
 * booleans as words; a field that is none of what is expected reads as absent and fails nothing.
 */

export const toText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

export const toNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
};

export const toFlag = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
};

export const toRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

export const toList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

const toTexts = (value: unknown): string[] => {
  const values = typeof value === 'string' ? value.split(',') : toList(value);
  return values.flatMap((each) => toText(each)?.trim() || []);
};

export const text = z.unknown().transform(toText).optional();
/**
 * A title, a type or the name of a layer. Portals take titles of up to 250 characters; what is longer than is kept
 * is known by its beginning, its length and its hash, so that two of them stay two.
 */
export const label = z
  .unknown()
  .transform((value) => labelOf(toText(value)))
  .optional();
export const number = z.unknown().transform(toNumber).optional();
export const flag = z.unknown().transform(toFlag).optional();
/** A list of strings; also read from a comma-separated string. */
export const texts = z.unknown().transform(toTexts).optional();
/** A string that must be there; a number is taken too. */
export const requiredText = z.preprocess(toText, z.string().min(1));

function labelOf(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= MAX_TEXT_LENGTH) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${shortened(text, MAX_TEXT_LENGTH - 100)} sha256 ${hash}`;
}

/** A list whose absence or null reads as empty. What is wrong is told of its first elements only: there may be millions. */
export const listOf = <T extends z.ZodType>(element: T) =>
  z.unknown().transform((value, context): z.output<T>[] => {
    const read: z.output<T>[] = [];
    let told = 0;
    for (const [index, each] of entriesOf(value).entries()) {
      const parsed = element.safeParse(each);
      if (parsed.success) read.push(parsed.data);
      else
        for (const { message, path } of parsed.error.issues) {
          context.addIssue({ code: 'custom', message, path: [index, ...path] });
          told += 1;
        }
      if (told >= ISSUES_MAX) break;
    }
    return read;
  });

const ISSUES_MAX = 5;

/** The list without the elements that cannot be read. */
export const readableOf = <T extends z.ZodType>(element: T) =>
  z.unknown().transform((value): z.output<T>[] =>
    entriesOf(value).flatMap((each) => {
      const parsed = element.safeParse(each);
      return parsed.success ? [parsed.data] : [];
    }),
  );

function entriesOf(value: unknown): unknown[] {
  const entries = toList(value);
  if (entries.length > ENTRIES_MAX)
    throw new LimitExceeded(`a list of ${entries.length} entries (limit ${ENTRIES_MAX})`);
  return entries;
}

/** Any JSON object. */
export const anyObject = z.looseObject({});
