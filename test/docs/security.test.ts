import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, root, spansOf, tableRows } from './pages';

const rows = tableRows(readPage('SECURITY.md'));

describe('a promise of SECURITY.md', () => {
  it.each(rows)('is held by a test: %s', (_promise, file = '', title = '') => {
    const source = readFileSync(path.join(root, spansOf(file)[0] ?? ''), 'utf8');
    expect(source).toContain(title);
  });

  it('is one of many', () => {
    expect(rows.length).toBeGreaterThan(15);
  });
});
