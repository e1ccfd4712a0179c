import { describe, expect, it } from '@jest/globals';
import { columns } from '../../../src/cli/terminal/columns';
import { plainStyle } from '../../../src/cli/terminal/style';

const head = ['RUN', 'KIND', 'ROUTE', 'STATUS', 'PHASE', 'STARTED', 'TOOK', 'BY'];
const row = [
  'sync-transport-20261121T030000Z-k7q2',
  'sync',
  'transport',
  'running',
  'import, number 2 in the portal queue production/import',
  '2026-11-21 03:00Z',
  '1m01s',
  'schedule nightly-transport',
];
const rows = [row, row.map((cell, at) => (at === 4 ? '' : cell))];

describe('a table', () => {
  it.each([60, 80, 120, 200])('fits a terminal of %d columns and breaks no word', (width) => {
    const text = columns(head, rows, { ...plainStyle, width });
    const lines = text.split('\n');
    expect(lines.filter((line) => line.length > width)).toEqual([]);
    const words = (of: string) => of.split(/\s+/).filter(Boolean).sort();
    const shown = new Set(words(text));
    expect([...head, ...row].flatMap(words).filter((word) => !shown.has(word))).toEqual([]);
  });

  it('has one line per row without a terminal', () => {
    expect(columns(head, rows, plainStyle).split('\n')).toHaveLength(3);
    expect(columns(head, rows, { ...plainStyle, width: 200 })).toBe(columns(head, rows, plainStyle));
  });
});
