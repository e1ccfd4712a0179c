import { shortened } from '../../model/text/plain-text';
import { quoted } from '../../model/text/words';
import { childPath } from '../transfer/references/content';
import type { Elements, Shape, TextOf } from './shape';
import { isEmpty, isObject, isSameValue, type JsonObject, own, ownAt } from './values';

/** A step into a value: the name of a member, the place in a list, or the identity of an element: `{ by: 'id', is: 7, nth: 1 }`. */
export type Step =
  string | number | { readonly by?: string; readonly is: string | number; readonly nth: number };

/** Where something stands; its path and label are put together only where they are shown. */
export interface Place {
  readonly up?: Place;
  readonly step: Step;
  /** What it adds to the label; nothing where it is empty. @default the step */
  readonly label?: string;
  /** The element that stands here, of a list or object of such. */
  readonly of?: { readonly elements: Elements; readonly element: unknown };
}

/** One difference. All of them, applied to `before`, give `after`. */
export interface Edit {
  readonly place: Place;
  /** `order`: `before` and `after` are the identities of the elements that both have. */
  readonly kind: 'changed' | 'added' | 'removed' | 'order';
  readonly before?: unknown;
  readonly after?: unknown;
  /** Place of an added element in its list. */
  readonly index?: number;
  readonly shape?: Shape;
  /** What the elements that have another order are called. */
  readonly noun?: string;
}

type OnEdit = (edit: Edit) => void;

/** Finds what differs between two values of JSON, by the names that a shape gives to their parts. */
export function findDifferences(
  shape: Shape | undefined,
  before: unknown,
  after: unknown,
  place: Place,
  onEdit: OnEdit,
): void {
  const { skip, elements, members, isWhole, isSet } = shape ?? {};
  if (before === after || skip !== undefined) return;
  const isAlike = (test: (value: unknown) => boolean): boolean =>
    [
      [before, after],
      [after, before],
    ].every(
      ([value, beside]) =>
        test(value) ||
        // Whether something is empty or not there can matter, such as a pop-up.
        ((elements ?? members) !== undefined && value === undefined && !isEmpty(beside)),
    );
  if (!isWhole && !isSet) {
    if (isAlike(Array.isArray)) {
      const [one, other] = [listIn(before), listIn(after)];
      const matched = elements ?? matchable([one, other]);
      if (matched) return compareElements(matched, one, other, place, onEdit);
      if (one.concat(other).some(isObject)) return compareInTurn(one, other, place, onEdit);
    } else if (isAlike(isObject)) {
      return compareMembers(shape, objectIn(before), objectIn(after), place, onEdit);
    }
  }
  const isSame =
    isSet && Array.isArray(before) && Array.isArray(after)
      ? isSameSet(before, after)
      : isSameValue(before, after);
  if (!isSame) onEdit({ place, kind: 'changed', before, after, shape });
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

function isSameSet(before: readonly unknown[], after: readonly unknown[]): boolean {
  const [one, other] = [before, after].map((list) => list.map((each) => JSON.stringify(each)).sort());
  return isSameValue(one, other);
}

function compareMembers(
  shape: Shape | undefined,
  before: JsonObject,
  after: JsonObject,
  place: Place,
  onEdit: OnEdit,
): void {
  const { elements, members } = shape ?? {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [own(before, name), own(after, name)];
    if (elements) {
      const at = { up: place, step: name, of: { elements, element: one ?? other } };
      compareElement(elements, one, other, at, undefined, onEdit);
    } else {
      const inner = members && Object.hasOwn(members, name) ? members[name] : undefined;
      findDifferences(inner, one, other, { up: place, step: name, label: inner?.label }, onEdit);
    }
  }
}

/** An element of a list with what tells it from the others, also where several have the same identity, or none. */
interface Identified {
  readonly step: Exclude<Step, string | number>;
  readonly element: unknown;
  readonly index: number;
}

function identified(list: readonly unknown[], by: readonly string[] | undefined): Map<string, Identified> {
  const seen = new Map<string, number>();
  return new Map(
    list.map((element, index) => {
      const name = by?.find((each) => isIdentity(own(element, each)));
      const is = name === undefined ? '' : (own(element, name) as string | number);
      const bare = JSON.stringify([name, is]);
      const nth = (seen.get(bare) ?? 0) + 1;
      seen.set(bare, nth);
      return [`${nth} ${bare}`, { step: { by: name, is, nth }, element, index }];
    }),
  );
}

const isIdentity = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

/** By which member elements of lists that no shape names can be told apart; undefined where there is none. */
function matchable(lists: readonly (readonly unknown[])[]): Elements | undefined {
  const by = ['id', 'uid', 'key', 'name', 'fieldName', 'itemId'].find((name) =>
    lists.every((list) => {
      const values = list.map((each) => own(each, name));
      return values.every(isIdentity) && new Set(values).size === values.length;
    }),
  );
  return by === undefined ? undefined : { noun: '', by: [by] };
}

function compareElements(
  elements: Elements,
  before: readonly unknown[],
  after: readonly unknown[],
  place: Place,
  onEdit: OnEdit,
): void {
  const [one, other] = [identified(before, elements.by), identified(after, elements.by)];
  const at = ({ step, element }: Identified): Place => ({ up: place, step, of: { elements, element } });
  for (const [key, each] of one) {
    const there = other.get(key);
    compareElement(elements, each.element, there?.element, at(each), undefined, onEdit);
  }
  for (const [key, each] of other)
    if (!one.has(key)) compareElement(elements, undefined, each.element, at(each), each.index, onEdit);
  const then = [...one.keys()].filter((key) => other.has(key));
  const now = [...other.keys()].filter((key) => one.has(key));
  if (isSameValue(then, now)) return;
  const steps = (keys: readonly string[]) => keys.map((key) => one.get(key)?.step);
  const titles = new Map<unknown, string>(
    [...one.values()].map(({ step, element }) => [step, titleOf(elements, element, step)]),
  );
  const show = (value: unknown): string =>
    listIn(value)
      .map((step) => titles.get(step))
      .join(', ');
  const noun = typeof elements.noun === 'string' ? elements.noun : '';
  onEdit({ place, kind: 'order', before: steps(then), after: steps(now), noun, shape: { show } });
}

function compareElement(
  elements: Elements,
  before: unknown,
  after: unknown,
  place: Place,
  index: number | undefined,
  onEdit: OnEdit,
): void {
  const show = (element: unknown): string | undefined => textOf(element, elements.says);
  if (before === undefined) onEdit({ place, kind: 'added', after, index, shape: { show } });
  else if (after === undefined) onEdit({ place, kind: 'removed', before, shape: { show } });
  else findDifferences(elements.shape?.(), before, after, place, onEdit);
}

/** `layer "Roads"`; undefined for an element whose list has no name for it. */
function nameOf({ elements, element }: NonNullable<Place['of']>, step: Step): string | undefined {
  if (elements.noun === '') return undefined;
  const noun = typeof elements.noun === 'string' ? elements.noun : elements.noun(element);
  return `${noun} ${quoted(shortened(titleOf(elements, element, step), TITLE_MAX))}`;
}

/** So much of a title is part of a label. @format characters */
const TITLE_MAX = 80;

const titleOf = ({ title }: Elements, element: unknown, step: Step): string =>
  textOf(element, title) ?? `${typeof step === 'object' ? step.is || step.nth : step}`;

const textOf = (element: unknown, text?: TextOf): string | undefined =>
  typeof text === 'function'
    ? text(element)
    : text
        ?.map((path) => ownAt(element, path))
        .find(isIdentity)
        ?.toString();

/** Elements without an identity: what both lists end with is the same, and the rest is compared in turn. */
function compareInTurn(
  before: readonly unknown[],
  after: readonly unknown[],
  place: Place,
  onEdit: OnEdit,
): void {
  const most = Math.min(before.length, after.length);
  let end = 0;
  while (end < most && isSameValue(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const paired = most - end;
  for (let index = 0; index < paired; index += 1)
    findDifferences(undefined, before[index], after[index], { up: place, step: index }, onEdit);
  // From the last on, so that the places of those before it stay.
  for (let index = before.length - end - 1; index >= paired; index -= 1)
    onEdit({ place: { up: place, step: index }, kind: 'removed', before: before[index] });
  for (let index = paired; index < after.length - end; index += 1)
    onEdit({ place: { up: place, step: index }, kind: 'added', after: after[index], index });
}

const stepText = (path: string, step: Step): string => {
  if (typeof step === 'string') return path === '' ? step : childPath(path, step);
  if (typeof step === 'number') return `${path}[${step}]`;
  const { by, is, nth } = step;
  const value = /^[\w.-]{1,100}$/.test(`${is}`) ? is : JSON.stringify(shortened(`${is}`, TITLE_MAX));
  return `${path}[${is === '' ? nth : `${by}=${value}${nth > 1 ? `, ${nth}` : ''}`}]`;
};

const placesTo = (place: Place): Place[] => {
  const places = [place];
  for (let up = place.up; up; up = up.up) places.unshift(up);
  return places;
};

export const stepsTo = (place: Place): Step[] => placesTo(place).map(({ step }) => step);

export const pathTo = (place: Place): string => stepsTo(place).reduce<string>(stepText, '');

/** `layer "Roads" visibility`; the path where nothing on the way has a name. */
export function labelOf({ place, kind, noun }: Edit): string {
  const words: string[] = [];
  let rest = '';
  let holder: Elements | undefined;
  for (const each of placesTo(place)) {
    const said = each.of ? nameOf(each.of, each.step) : each.label;
    if (said === undefined) rest = stepText(rest, each.step);
    else if (said !== '') {
      // A layer within a layer is known by its own title.
      if (each.of && each.of.elements.noun === holder?.noun) words.pop();
      words.push(said);
      rest = '';
      holder = each.of?.elements;
    }
  }
  const what = words.length === 0 ? pathTo(place) : [...words, rest].filter((part) => part !== '').join(' ');
  if (kind === 'changed') return what;
  return noun ? [...words, `order of ${noun}s`].join(' ') : `${what} ${kind}`;
}
