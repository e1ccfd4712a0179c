import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, root, sectionOf, spansOf, tableRows } from './pages';

const page = readPage('docs/internals/architecture.md');

describe('docs/internals/architecture.md', () => {
  it('has a row for each layer', () => {
    const layers = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    const named = tableRows(sectionOf(page, 'Layers')).map(([cell = '']) => spansOf(cell)[0]);
    expect(named.sort()).toEqual(layers.map(({ name }) => `${name}/`).sort());
  });
});
