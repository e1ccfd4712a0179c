import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { root } from './pages';
import { readPromises, readTags } from '../support/promises';

const tags = readTags(root);
const promises = [...readPromises(root).keys()];

describe('SECURITY.md', () => {
  it('has the promises that tests carry', () => {
    expect([...new Set(tags.flatMap(({ ids }) => ids))].sort()).toEqual(promises);
  });

  it.each([...new Set(tags.map(({ command }) => command))])('has its promises checked by %s', (command) => {
    const folder = command === 'npm test' ? '.' : path.join('test', command.replace('npm run test:', ''));
    const config = readFileSync(path.join(root, folder, 'jest.config.js'), 'utf8');
    expect(manifest.scripts).toHaveProperty([command.replace(/^npm (?:run )?/, '')]);
    expect(config).toMatch(/promise-reporter\.js',\s*{/);
    if (folder !== '.') expect(config).toContain(`{ command: '${command}' }`);
  });
});
