import { describe, expect, it } from '@jest/globals';
import { itemTypes } from '../../src/domain/transfer/item-types';
import { keys } from '../../src/store/keys';
import { pages, readPage, sectionOf, spansOf, tableRows } from './pages';

describe.each(pages.filter((page) => page.startsWith('docs/guide/')))('%s', (name) => {
  it('starts with commands or configuration to type', () => {
    const [, first = ''] = /\n```(sh|yaml)\n/.exec(readPage(name)) ?? [];
    expect(first).not.toBe('');
    expect(readPage(name).indexOf(`\`\`\`${first}`)).toBeLessThan(600);
  });
});

describe('the item types of the first sync', () => {
  it('are those that the code takes for exportable', () => {
    const page = readPage('docs/guide/first-sync.md');
    const [, list = ''] = /^Item types that an export takes: (.*)\.$/m.exec(page) ?? [];
    const [all = '', once = ''] = list.split('; on 10.8.1 also ');
    const known = Object.entries(itemTypes).filter(([, { exportable }]) => exportable);
    const current = known.filter(([, { until }]) => until === undefined);
    expect(all.split(', ').sort()).toEqual(
      current.map(([type, { since }]) => (since === undefined ? type : `${type} (from ${since})`)).sort(),
    );
    expect(once.split(' and ')).toEqual(
      known.filter(([, { until }]) => until === '10.8.1').map(([type]) => type),
    );
  });
});

describe('the store layout in the guide', () => {
  it('lists the folders the code writes to', () => {
    const section = sectionOf(readPage('docs/guide/production.md'), 'Store layout');
    const places = tableRows(section).map(([cell = '']) => spansOf(cell)[0] ?? '');
    const used = [
      keys.record('RUN'),
      keys.package('RUN'),
      keys.snapshotPackage('RUN-safeguard-N'),
      keys.storedPackages,
      keys.releases,
      'routes/',
    ];
    expect(places).toHaveLength(used.length);
    used.forEach((key, at) => expect(key.startsWith(places[at] ?? '?')).toBe(true));
  });
});
