import type { z } from 'zod';
import type { configFile } from './config';

/** What is left of a value if some of it is malformed: the key of a malformed value is there, without the value. */
type Remains<T> = T extends readonly (infer Each)[]
  ? readonly (Remains<Each> | undefined)[]
  : T extends object
    ? { readonly [Key in keyof T]?: Remains<T[Key]> }
    : T;
export type FileRemains = Remains<z.input<typeof configFile>>;

/** Names that other parts of the file can use. */
export interface KnownNames {
  readonly portals: readonly string[];
  readonly routes: readonly string[];
  readonly pipelines: readonly string[];
}

/** The file without its malformed values. */
export const remainsOf = (given: unknown, issues: readonly z.core.$ZodIssue[]): FileRemains =>
  (issues.reduce((left, issue) => {
    // Where the variant is unknown, nothing in it was read.
    const path = 'discriminator' in issue ? issue.path.slice(0, -1) : issue.path;
    return issue.code === 'unrecognized_keys' ? left : without(left, path);
  }, given) as FileRemains | undefined) ?? {};

function without(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  const changed = without((value as Record<PropertyKey, unknown>)[key], rest);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}

/** The entries that could be read. */
export const entries = <T>(given: Readonly<Record<string, T | undefined>>): [string, T][] =>
  Object.entries(given).flatMap(([name, each]) => (each === undefined ? [] : [[name, each]]));

/** Whether a switch is on, or may be meant to be. */
export const mayBe = <Key extends string>(given: { readonly [K in Key]?: boolean }, key: Key): boolean =>
  given[key] ?? key in given;

/** Whether a key is in neither the file nor a part of it that could not be read. */
export const isUnset = <Part extends string>(
  given: { readonly [K in Part]?: object },
  part: Part,
  key: string,
): boolean => !(part in given) || (given[part] !== undefined && !(key in given[part]));
