import { describe, expect, it } from '@jest/globals';
import { categoriesDocument } from '../../../src/domain/portal-change/categories';
import { listedChanges } from '../../../src/domain/portal-change/portal-document';
import type { Settings } from '../../../src/domain/portal-change/setting-values';
import { settingsDocument } from '../../../src/domain/portal-change/settings';

const settings = (text: string | null, title: string | null = null): Settings => ({
  anonymousAccessNotice: { text, title },
});
const none: Settings = { anonymousAccessNotice: null };

describe('settings rolled back', () => {
  it.each<[what: string, live: Settings, before: Settings, desired: object, warnings: number]>([
    ['return to their values from before', settings('new'), settings('old'), settings('old'), 0],
    ['stay if somebody has changed them since', settings('theirs'), settings('old'), {}, 1],
    ['are cleared if there were none', settings('new'), none, none, 0],
    ['stay if there were none and somebody has changed one', settings('theirs'), none, {}, 1],
  ])('%s', (_what, live, before, desired, warnings) => {
    const set = settings('new');
    const undo = settingsDocument.undo(live, { replaced: before, written: set });
    expect(undo.wanted).toMatchObject(desired);
    expect(settingsDocument.differences(live, undo.wanted).length > 0).toBe(warnings === 0);
    expect(undo.warnings).toHaveLength(warnings);
  });

  it('return one by one: only the changed one stays', () => {
    const undo = settingsDocument.undo(settings('theirs', 'new'), {
      replaced: settings('old', 'old'),
      written: settings('new', 'new'),
    });
    expect(undo.wanted).toEqual({ anonymousAccessNotice: { title: 'old' } });
    expect(undo.warnings).toEqual([
      'anonymousAccessNotice.text has changed since; Portolan leaves it unchanged',
    ]);
  });
});

describe('a category schema that was written', () => {
  const schema = (...titles: string[]) => ({ categorySchema: titles.map((title) => ({ title })) });
  const lacking = (now: string[], replaced: string[]) =>
    categoriesDocument
      .notTaken(schema(...now), schema('A', 'B'), schema(...replaced))
      .map(({ path }) => path);
  it('may be kept in another order, unless nothing but the order was to change', () => {
    expect(lacking(['B', 'A'], ['A'])).toEqual([]);
    expect(lacking(['B', 'A'], ['B', 'A'])).toEqual(['/* (order)']);
    expect(lacking(['B'], ['B'])).toEqual(['/A']);
  });
});

it('lists the first 30 changes, with long values cut', () => {
  const changes = Array.from({ length: 31 }, (_, at) => ({ path: `p${at}`, after: 'x'.repeat(300) }));
  const listed = listedChanges(changes);
  expect(listed).toHaveLength(30);
  expect(listed[0]).toEqual({ path: 'p0', before: undefined, after: `${'x'.repeat(200)}… (300 characters)` });
});
