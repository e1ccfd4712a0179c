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
  it('lists the folders the code writes to', () => {
    const section = sectionOf(readPage('docs/guide/production.md'), 'Store layout');
    const places = tableRows(section).map(([cell = '']) => spansOf(cell)[0] ?? '');
    const used = [
      keys.record('RUN'),
      keys.package('RUN', 0),
      keys.snapshotPackage('ID', 0),
      keys.releases,
      keys.promotions,
      keys.freeze('ADDRESS'),
      keys.runDays,
      'routes/',
    ];
    expect(places).toHaveLength(used.length);
    used.forEach((key, at) => expect(key.startsWith(places[at] ?? '?')).toBe(true));
  });
});
