import { describe, expect, it } from '@jest/globals';
import {
  listedChanges,
  categoriesAsBefore,
  categoriesDraft,
  settingsAsBefore,
} from '../../../src/domain/portal-change/portal-draft';
import type { DesiredSettings } from '../../../src/domain/portal-change/settings/settings-values';

const settings = (text: string | null, title: string | null = null): DesiredSettings => ({
  anonymousAccessNotice: { text, title },
});
const none: DesiredSettings = { anonymousAccessNotice: null };

describe('settings rolled back', () => {
  it.each<[what: string, live: DesiredSettings, before: DesiredSettings, desired: object, warnings: number]>([
    ['return to their values from before', settings('new'), settings('old'), settings('old'), 0],
    ['stay if somebody has changed them since', settings('theirs'), settings('old'), {}, 1],
    ['are cleared if there were none', settings('new'), none, none, 0],
    ['stay if there were none and somebody has changed one', settings('theirs'), none, {}, 1],
  ])('%s', (_what, live, before, desired, warnings) => {
    const set = settings('new');
    const draft = settingsAsBefore(live, { before, set });
    expect(draft.desired).toMatchObject(desired);
    expect(draft.changes.length > 0).toBe(warnings === 0);
    expect(draft.warnings).toHaveLength(warnings);
  });

  it('return one by one: only the changed one stays', () => {
    const draft = settingsAsBefore(settings('theirs', 'new'), {
      before: settings('old', 'old'),
      set: settings('new', 'new'),
    });
    expect(draft.desired).toEqual({ anonymousAccessNotice: { title: 'old' } });
    expect(draft.warnings).toEqual([
      'anonymousAccessNotice.text has changed since; Portolan leaves it unchanged',
    ]);
  });
});

describe('a category schema rolled back', () => {
  const [old, written, theirs] = [[{ title: 'Old' }], [{ title: 'New' }], [{ title: 'Theirs' }]];
  it('returns to the one from before', () => {
    const draft = categoriesAsBefore(written, { before: old, set: written });
    expect(draft).toMatchObject({ desired: { categorySchema: old }, operation: 'apply', warnings: [] });
    expect(draft.changes).toHaveLength(2);
  });
  it('is deleted if there was none', () => {
    expect(categoriesAsBefore(written, { before: [], set: written })).toMatchObject({ operation: 'delete' });
  });
  it('stays, with a warning, if somebody has changed it since', () => {
    const draft = categoriesAsBefore(theirs, { before: old, set: written });
    expect(draft).toMatchObject({ changes: [], warnings: [expect.stringContaining('changed since')] });
  });
  it('is left alone if it is already as before', () => {
    const draft = categoriesAsBefore(old, { before: old, set: written });
    expect(draft).toMatchObject({ changes: [], warnings: [] });
  });
});

it('a schema that the portal has already changes nothing', () => {
  expect(categoriesDraft([{ title: 'A' }], [{ title: 'A', description: '' }]).changes).toEqual([]);
});

it('lists the first 30 changes, with long values cut', () => {
  const changes = Array.from({ length: 31 }, (_, at) => ({ path: `p${at}`, after: 'x'.repeat(300) }));
  const listed = listedChanges(changes);
  expect(listed).toHaveLength(30);
  expect(listed[0]).toEqual({ path: 'p0', before: undefined, after: `${'x'.repeat(198)}..` });
});
