import type { Edit, Place } from '../../../src/domain/change/differences';

type Container = unknown[] | Record<string, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Stands for a removed element until all are found. */
const removed = Symbol('removed');

const placesTo = (place: Place): Place[] => (place.up ? [...placesTo(place.up), place] : []);

/** Name or place of the member that a step leads to; undefined where the value has none. */
function keyOf(value: Container, { step, of }: Place): string | number | undefined {
  if (typeof step !== 'object') return step;
  let nth = 0;
  return (value as unknown[]).findIndex((element) => {
    const by = of!.elements.by?.find((name) => {
      const id =
        isContainer(element) && Object.hasOwn(element, name)
          ? (element as Record<string, unknown>)[name]
          : undefined;
      return typeof id === 'number' || (typeof id === 'string' && id !== '');
    });
    const is = by === undefined ? '' : (element as Record<string, unknown>)[by];
    if (by !== step.by || is !== step.is) return false;
    nth += 1;
    return nth === step.nth;
  });
}

const get = (value: Container, key: string | number): unknown =>
  Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined;

const set = (value: Container, key: string | number, member: unknown): void => {
  Object.defineProperty(value, key, { value: member, configurable: true, enumerable: true, writable: true });
};

/** What holds the place, made where it is missing. */
function holderOf(root: Container, places: readonly Place[], isList: boolean): Container {
  return places.reduce<Container>((value, place, index) => {
    const key = keyOf(value, place)!;
    const inner = get(value, key);
    if (isContainer(inner)) return inner;
    const next = places[index + 1]?.step;
    const made: Container =
      typeof next === 'object' || typeof next === 'number' || (next === undefined && isList) ? [] : {};
    set(value, key, made);
    return made;
  }, root);
}

/** Applies differences to a copy of a value. */
export function applyEdits(before: unknown, edits: readonly Edit[]): unknown {
  const root = structuredClone(before) as Container;
  const inList = ({ step }: Place): boolean => typeof step !== 'string';
  const each = (
    kinds: readonly Edit['kind'][],
    act: (edit: Edit, holder: Container, last: Place) => void,
  ): void => {
    for (const edit of edits.filter(({ kind }) => kinds.includes(kind))) {
      const places = placesTo(edit.place);
      const last = places.at(-1)!;
      act(edit, holderOf(root, places.slice(0, -1), inList(last)), last);
    }
  };
  const gone: [Container, string | number][] = [];
  each(['removed'], (_, holder, last) => gone.push([holder, keyOf(holder, last)!]));
  each(['changed'], ({ after }, holder, last) => {
    const key = keyOf(holder, last)!;
    if (after === undefined) Reflect.deleteProperty(holder, key);
    else set(holder, key, structuredClone(after));
  });
  for (const [holder, key] of gone) {
    if (Array.isArray(holder)) holder[key as number] = removed;
    else Reflect.deleteProperty(holder, key);
  }
  sweep(root);
  each(['order'], ({ after, elements, place }, holder, last) => {
    const list = get(holder, keyOf(holder, last)!) as unknown[];
    const steps = after as Exclude<Place['step'], string | number>[];
    const ordered = steps.map(
      (step) =>
        list[keyOf(list, { up: place, step, of: { elements: elements!, element: undefined } }) as number],
    );
    list.splice(0, list.length, ...ordered);
  });
  each(['added'], ({ after, index }, holder, last) => {
    const element = structuredClone(after);
    if (Array.isArray(holder)) holder.splice(index!, 0, element);
    else set(holder, last.step as string, element);
  });
  return root;
}

function sweep(value: unknown): void {
  if (!isContainer(value)) return;
  if (Array.isArray(value)) value.splice(0, value.length, ...value.filter((each) => each !== removed));
  Object.values(value).forEach(sweep);
}
