/** A value of JSON that is an object; others' names, such as `__proto__`, are read through `own` alone. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of an object or a list. */
export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && Object.keys(value ?? {}).length === 0;

/** A member of an object that is its own. */
export const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** A member by its path, such as `title.text`. */
export const ownAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => own(inner, name), value);

/** Whether two values are the same, in whatever order their objects have their names. No deeper than calls may be nested. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((each, index) => isSameValue(each, other[index]))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  );
}

/** A copy with all its texts rewritten; names stay. No deeper than calls may be nested. */
export function mapTree(value: unknown, mapped: (text: string) => string): unknown {
  if (typeof value === 'string') return mapped(value);
  if (Array.isArray(value)) return value.map((each) => mapTree(each, mapped));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTree(each, mapped)]));
}

interface Limits {
  readonly depth: number;
  /** Members and elements. */
  readonly values: number;
  /** In all texts and names. */
  readonly characters: number;
}

/** Why a value is not compared; undefined where it is within the limits. With a stack of its own: it may be nested deeper than calls may. */
export function excessOf(value: object, limits: Limits): string | undefined {
  const stack = [{ value, depth: 0 }];
  let [values, characters] = [0, 0];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { depth } = top;
    if (depth > limits.depth) return `it is nested more than ${limits.depth} levels deep`;
    if (isObject(top.value)) for (const name of Object.keys(top.value)) characters += name.length;
    const inner: unknown[] = Object.values(top.value);
    values += inner.length;
    if (values > limits.values) return `it has more than ${limits.values} values`;
    for (const each of inner) {
      if (typeof each === 'string') characters += each.length;
      else if (typeof each === 'object' && each !== null) stack.push({ value: each, depth: depth + 1 });
    }
    if (characters > limits.characters) return `its texts have more than ${limits.characters} characters`;
  }
  return undefined;
}
