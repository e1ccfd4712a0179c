import { describe, expect, it } from '@jest/globals';
import { lines, median } from '../../bench/report';
import type { Transfers } from '../../bench/transfers';

const MB = 1024 ** 2;
const even = { ours: [1000], curl: [1000] };
const seriesOf = (transfers: Partial<Transfers>) => {
  const up = { ...even, curlInParts: [1000] };
  const limited = { both: [1200], curlDown: [1000], curlUp: [900] };
  const measured = { down: even, up, both: [9000], limited, grown: {}, ...transfers };
  return lines({ bytes: 1024 * MB, transfers: measured, syncs: { ms: 33_000, jobsMs: 30_000 } });
};

describe('the table of a bench', () => {
  it('compares medians, which one slow round does not move', () => {
    const [down, up] = seriesOf({ down: { ours: [4000, 4000, 60_000], curl: [3000, 3000, 100] } });
    expect(down).toEqual({
      what: 'download with hash',
      ours: '256 MB/s',
      against: 'curl | sha256sum: 341 MB/s',
      ratio: '0.75',
      promised: 'at least 0.95',
      kept: false,
    });
    expect(up).toMatchObject({ ratio: '1.00', kept: true });
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('says which promise is broken', () => {
    const result = seriesOf({
      down: { ours: [2000], curl: [1000] },
      up: { ours: [1000], curl: [700], curlInParts: [900] },
      limited: { both: [1201], curlDown: [1000], curlUp: [1000] },
      grown: { down: 99 * MB, up: 100 * MB, both: 30 * MB },
    });
    expect(result.map(({ what, against, kept }) => [what, against.split(':')[0], kept])).toEqual([
      ['download with hash', 'curl | sha256sum', false],
      ['upload', 'curl, in one request', true],
      ['upload', 'curl, the same parts', false],
      ['both at once, 100 MB/s each', "the slower of curl's two", false],
      ['both at once, over loopback', "the slower of curl's two", undefined],
      ['memory of a download', 'over idle', true],
      ['memory of an upload', 'over idle', false],
      ['memory of both at once', 'over idle', true],
      ['a whole sync', 'jobs 30.0 s', undefined],
    ]);
  });

  it('promises nothing of memory where it cannot be measured', () => {
    const [, , , both, , memory] = seriesOf({});
    expect(both).toMatchObject({ ratio: '1.20', kept: true });
    expect(memory).toMatchObject({ ours: 'not measured', kept: undefined });
  });
});
