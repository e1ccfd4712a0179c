import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { readPage, root, sectionOf, spansOf, tableRows } from './pages';

/** More than that side by side is read as a list, not seen as a room. */
const FILES_OF_A_FOLDER_MAX = 20;

const page = readPage('docs/internals/architecture.md');

describe('the sources', () => {
  it('have no folder with more than twenty files side by side', () => {
    const counts = new Map<string, number>();
    const entries = readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true });
    for (const { parentPath } of entries.filter((each) => each.isFile()))
      counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
    const crowded = [...counts].filter(([, count]) => count > FILES_OF_A_FOLDER_MAX);
    expect(crowded.map(([folder, count]) => `${path.relative(root, folder)}: ${count} files`)).toEqual([]);
  });
});

describe('docs/internals/architecture.md', () => {
  it('has a row for each room of the sources', () => {
    const rooms = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    const told = tableRows(sectionOf(page, 'Shape')).map(([cell = '']) => spansOf(cell)[0]);
    expect(told.sort()).toEqual(rooms.map(({ name }) => `${name}/`).sort());
  });

  it('gives a reason for each dependency, and for none that is gone', () => {
    const told = tableRows(sectionOf(page, 'What was chosen, and why')).flatMap(([cell = '']) =>
      spansOf(cell),
    );
    const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const covered = (name: string): boolean =>
      name.startsWith('@types/') ||
      told.some((each) => name === each || (each.endsWith('/*') && name.startsWith(each.slice(0, -1))));
    expect(used.filter((name) => !covered(name))).toEqual([]);
    expect(told.filter((name) => !name.endsWith('/*') && !used.includes(name))).toEqual([]);
  });
});
