import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareContent } from '../../../src/domain/change/compare-content';
import * as documents from './documents';

const types = {
  'Web Map': documents.webMap,
  'Web Scene': documents.webScene,
  'Web Mapping Application': documents.builderApp,
  Dashboard: documents.dashboard,
  // Versions of widgets are not compared.
  'Web Experience': () =>
    JSON.parse(JSON.stringify(documents.experience()).replaceAll('"version"', '"exbVersion"')),
  StoryMap: documents.story,
  'Feature Service': documents.serviceData,
  Notebook: documents.instantApp,
};

/** Members that no comparison covers are left out, and what is empty: none of it is a difference. */
function covered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(covered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .filter(
      ([name]) =>
        !/^(authoringApp(Version)?|thumbnail|exbVersion|originExbVersion|wabVersion|timestamp)$/.test(name),
    )
    .map(([name, each]) => [name, covered(each)])
    .filter(([, each]) => typeof each !== 'object' || each === null || Object.keys(each).length > 0);
  return Object.fromEntries(members);
}

/** A random edit of a random place of a document. */
const action = fc.record({
  at: fc.array(fc.nat(50), { minLength: 1, maxLength: 8 }),
  kind: fc.constantFrom('replace', 'remove', 'insert', 'copy', 'shuffle'),
  name: fc.constantFrom('title', 'id', 'visibility', 'url', 'x', '__proto__', 'layers', 'opacity'),
  // As a portal sends it: JSON has no -0.
  value: fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text)),
});

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

function act(document: unknown, { at, kind, name, value: given }: Action) {
  const value = structuredClone(given);
  let place = document;
  for (const step of at) {
    const inner: unknown[] = Object.values(place as object).filter(
      (each) => typeof each === 'object' && each !== null,
    );
    if (inner.length === 0) break;
    place = inner[step % inner.length];
  }
  const [step = 0] = at;
  const define = (member: string, to: unknown) => {
    Object.defineProperty(place, member, { value: to, configurable: true, enumerable: true, writable: true });
  };
  if (Array.isArray(place)) {
    const index = step % (place.length + 1);
    if (kind === 'remove') place.splice(index, 1);
    else if (kind === 'insert') place.splice(index, 0, value);
    else if (kind === 'copy') place.push(structuredClone(place[index] ?? null));
    else if (kind === 'shuffle') place.reverse();
    else if (index < place.length) place[index] = value;
  } else {
    const names = Object.keys(place as object);
    const member = names[step % (names.length + 1)] ?? name;
    if (kind === 'remove') Reflect.deleteProperty(place as object, member);
    else define(kind === 'insert' ? name : member, value);
  }
}

it('random states that differ are told apart, each with another sha256', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])),
      fc.array(action, { maxLength: 8 }),
      fc.array(action, { maxLength: 3 }),
      (type, actions, later) => {
        const [before, one, other] = [types[type](), types[type](), types[type]()] as object[];
        actions.forEach((each) => act(one, each));
        [...actions, ...later].forEach((each) => act(other, each));
        const compare = (then: unknown, now: unknown) =>
          compareContent(type, { details: {}, data: then }, { details: {}, data: now });
        if (isDeepStrictEqual(covered(one), covered(other))) return;
        expect(compare(one, other).kind).toBe('changed');
        expect(compare(before, one).sha256).not.toBe(compare(before, other).sha256);
      },
    ),
    { numRuns: 1_500 },
  );
});
