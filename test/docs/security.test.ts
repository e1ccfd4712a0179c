import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { readPage, root, spansOf, tableRows } from './pages';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** A promise, the file of its test with the command of a long suite behind it, and the test's title. */
const rows = tableRows(readPage('SECURITY.md')).filter(([, file = '']) => file.startsWith('`test/'));

describe('a promise of SECURITY.md', () => {
  it.each(rows)('is held by a test: %s', (_promise, file = '', title = '') => {
    const source = read(spansOf(file)[0] ?? '');
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  });

  it('is looked for in what npm test has run, unless it names the command that runs its test', () => {
    expect(read('jest.config.js')).toContain("['<rootDir>/test/support/promise-reporter.js', {}]");
    const commands = new Set(rows.map(([, file = '']) => spansOf(file)[1] ?? 'npm test'));
    expect(commands.size).toBeGreaterThan(1);
    for (const command of [...commands].filter((each) => each !== 'npm test')) {
      expect(manifest.scripts).toHaveProperty([command.replace('npm run ', '')]);
      const config = path.join('test', command.replace('npm run test:', ''), 'jest.config.js');
      expect(read(config)).toMatch(new RegExp(`promise-reporter\\.js',\\s*{ command: '${command}' }`));
    }
  });

  it('is one of many', () => {
    expect(rows.length).toBeGreaterThan(60);
  });
});
