import { describe, expect, it } from '@jest/globals';
import { keys } from '../../src/store/keys';
import { pages, readPage, sectionOf, spansOf, tableRows } from './pages';

describe.each(pages.filter((page) => page.startsWith('docs/guide/')))('%s', (name) => {
  it('starts with commands or configuration to type', () => {
    const [, first = ''] = /\n```(sh|yaml)\n/.exec(readPage(name)) ?? [];
    expect(first).not.toBe('');
    expect(readPage(name).indexOf(`\`\`\`${first}`)).toBeLessThan(600);
  });
});

describe('the store layout in the guide', () => {
  it('lists the folders that the code writes to', () => {
    const section = sectionOf(readPage('docs/guide/production.md'), 'Store layout');
    const places = tableRows(section).map(([cell = '']) => spansOf(cell)[0] ?? '');
    const route = { name: 'transport', source: { groupId: 's' } };
    const argument = { ...route, runId: 'run-a', toString: () => 'RUN' };
    const used = Object.values(keys)
      .map((key: unknown) =>
        typeof key === 'function'
          ? (key as (...given: unknown[]) => unknown)(argument, argument, argument)
          : key,
      )
      .flatMap((key) => (typeof key === 'string' && /[/.]/.test(key) ? key.replace(/\/.*/, '/') : []));
    // Described above the table.
    const inTable = new Set(used.filter((key) => key !== keys.checks));
    expect(places.map((place) => place.replace(/\/.*/, '/')).sort()).toEqual([...inTable].sort());
  });
});
