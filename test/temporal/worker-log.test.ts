import { describe, expect, it } from '@jest/globals';
import { createWorkerLog } from '../../src/temporal/worker-log';

describe("a worker's log", () => {
  it('masks secrets wherever in an event they are', () => {
    const lines: string[] = [];
    const log = createWorkerLog({ destination: { write: (line) => lines.push(line) } });
    const headers = { authorization: 'Bearer t0ken' };
    log.info({ url: 'https://p.example.com/jobs/1?key=s3cret', headers }, 'token=t0ken');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/s3cret|t0ken/);
  });
});
