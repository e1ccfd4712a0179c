import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'node-html-parser';
import type { Change } from '../../../src/model/transfer/change';
import { changeLines } from '../../../src/service/item/item-sheets';
import { changePage } from '../../../src/service/run/change-page';
import { changeCounts, changeSheet, type ChangedItem } from '../../../src/service/run/change-sheet';

const item = (title: string, change: Partial<Change>): ChangedItem => ({
  itemId: 'a'.repeat(32),
  type: 'Web Map',
  title,
  change: { kind: 'changed', fields: [], sha256: 'x', ...change },
});

const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u001b[2J';

const items = [
  item('Roads', {
    fields: [
      {
        path: 'data.operationalLayers[id=a].visibility',
        label: 'layer "Roads" visibility',
        before: 'on',
        after: 'off',
      },
      {
        path: 'data.operationalLayers[id=b]',
        label: 'layer "Stops" added',
        after: 'https://gis.example.com/x',
      },
      { path: 'item.snippet', label: 'summary', after: 'All roads' },
    ],
    more: 7,
  }),
  item(hostile, {
    kind: 'unknown',
    why: hostile,
    fields: [{ path: hostile, label: hostile, before: hostile, after: hostile }],
  }),
  item('Quiet', { kind: 'same' }),
];

describe('the changes of items', () => {
  it('are a block of lines for each changed item', () => {
    const text = JSON.stringify(changeSheet(items.slice(0, 1)));
    for (const line of [
      'layer \\"Roads\\" visibility: ',
      ' -> off',
      'layer \\"Stops\\" added: https://gis.example.com/x',
      '(none)',
      'and 7 more',
    ])
      expect(text).toContain(line);
    expect(changeSheet(items)).toHaveLength(2);
  });

  it('have long values below each other', () => {
    const [before, after] = [
      'https://a.example.com/arcgis/rest/services',
      'https://b.example.com/arcgis/rest',
    ];
    const address = { path: 'data.url', label: 'layer "Roads" address', before, after };
    const [block] = changeSheet([item('Roads', { fields: [address] })]);
    expect(block).toMatchObject({
      lines: ['layer "Roads" address:', { text: `  before  ${before}` }, `  after   ${after}`],
    });
  });

  it('are counted in words', () => {
    expect(changeCounts(items)).toBe('1 changes, 1 is unknown, 1 is identical');
    expect(changeCounts([...items, ...items])).toBe('2 change, 2 are unknown, 2 are identical');
    expect(changeCounts([])).toBe('');
  });
});

describe('the file of changes', () => {
  const html = changePage({ title: `diff ${hostile}`, facts: [['Source', hostile]], items });
  const document = parse(html);

  it('shows each item before and after, and identical ones by title', () => {
    const [row] = document.querySelectorAll('tbody tr');
    expect(row!.querySelectorAll('th, td').map((cell) => cell.textContent)).toEqual([
      'layer "Roads" visibility',
      'on',
      'off',
    ]);
    expect(document.querySelector('details')!.textContent).toContain('Quiet');
    expect(document.textContent).toContain('1 changes, 1 is unknown, 1 is identical.');
    expect(document.textContent).toContain('and 7 more');
  });

  it('shows hostile text as text [P16]', () => {
    expect(document.querySelectorAll('script, img, iframe, link, object, base, form, a, svg')).toEqual([]);
    for (const element of document.querySelectorAll('*'))
      for (const name of Object.keys(element.attributes))
        expect(['lang', 'charset', 'http-equiv', 'content', 'name', 'class', 'scope', 'title']).toContain(
          name,
        );
    expect(html).not.toMatch(/[\u001b\u202e]/);
    expect(document.querySelector('h1')!.textContent).toContain('<script>alert(1)</script>');
  });

  it('allows only its own style', () => {
    const style = document.querySelector('style')!.rawText;
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = document.querySelector('meta[http-equiv]')!.getAttribute('content');
    expect(policy).toBe(
      `default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-${hash}'`,
    );
    expect(style).not.toMatch(/[<>&"']|url\(|@import/);
  });
});

it('a history line of an added or removed field has one value', () => {
  const fields = [
    { path: 'data.a', label: 'layer "Roads" removed', before: 'https://a' },
    { path: 'data.b', label: 'layer "Roads" renamed', before: 'Roads', after: 'Streets' },
    { path: 'data.c', label: 'basemap', after: 'Topo' },
  ];
  expect(changeLines({ kind: 'changed', fields, sha256: '' })).toEqual([
    'layer "Roads" removed: https://a',
    'layer "Roads" renamed: Roads -> Streets',
    'basemap: (none) -> Topo',
  ]);
});
