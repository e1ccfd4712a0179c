import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { readPage, root, sectionOf, spansOf, tableRows } from './pages';

const page = readPage('docs/internals/architecture.md');

describe('docs/internals/architecture.md', () => {
  it('has a row for each layer of the sources', () => {
    const layers = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    const named = tableRows(sectionOf(page, 'Layers')).map(([cell = '']) => spansOf(cell)[0]);
    expect(named.sort()).toEqual(layers.map(({ name }) => `${name}/`).sort());
  });

  it('gives a reason for each dependency, and for none that is gone', () => {
    const named = tableRows(sectionOf(page, 'Dependencies that surprise')).flatMap(([cell = '']) =>
      spansOf(cell),
    );
    const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const covered = (name: string): boolean =>
      name.startsWith('@types/') ||
      named.some((each) => name === each || (each.endsWith('/*') && name.startsWith(each.slice(0, -1))));
    expect(used.filter((name) => !covered(name))).toEqual([]);
    expect(named.filter((name) => !name.endsWith('/*') && !used.includes(name))).toEqual([]);
  });
});
