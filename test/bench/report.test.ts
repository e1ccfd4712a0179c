import { describe, expect, it } from '@jest/globals';
import { lines, median } from '../../bench/report';
import { Contest } from '../../bench/transfers';

const contest = (ours: number[], curl: number[], grown?: number): Contest => {
  const made = new Contest();
  made.ours.push(...ours);
  made.curl.push(...curl);
  made.grew(grown);
  return made;
};
const MB = 1024 ** 2;
const seriesOf = (down: Contest, up: Contest) =>
  lines({ bytes: 1024 * MB, transfers: { down, up }, syncs: { ms: 33_000, jobsMs: 30_000 } });

describe('the table of a bench', () => {
  it('compares medians, which one slow round does not move', () => {
    const [down, up] = seriesOf(contest([4000, 4000, 60_000], [3000, 3000, 100]), contest([1000], [1000]));
    expect(down).toEqual({
      what: 'download with hash',
      ours: '256 MB/s',
      against: 'curl 341 MB/s',
      ratio: '0.75',
      promised: 'at least 0.6',
      kept: true,
    });
    expect(up).toMatchObject({ ratio: '1.00', kept: true });
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('says which promise is broken', () => {
    const result = seriesOf(contest([2000], [1000], 149 * MB), contest([1000], [1000], 150 * MB));
    expect(result.map(({ what, kept }) => [what, kept])).toEqual([
      ['download with hash', false],
      ['upload', true],
      ['memory of a download', true],
      ['memory of an upload', false],
      ['a whole sync', undefined],
    ]);
  });

  it('promises nothing of memory where it cannot be measured', () => {
    const [, , memory] = seriesOf(contest([1], [1]), contest([1], [1]));
    expect(memory).toMatchObject({ ours: 'not measured', kept: undefined });
  });
});
