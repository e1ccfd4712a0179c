import { describe, expect, it } from '@jest/globals';
import { createWorkerLog } from '../../src/temporal/worker-log';

describe("a worker's log", () => {
  it('masks secrets everywhere in an event [P15]', () => {
    const lines: string[] = [];
    const log = createWorkerLog({ destination: { write: (line) => lines.push(line) } });
    const headers = { authorization: 'Bearer t0ken' };
    log.info({ url: 'https://p.example.com/jobs/1?key=s3cret', headers }, 'token=t0ken');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/s3cret|t0ken/);
  });

  it('escapes control characters', () => {
    const lines: string[] = [];
    const log = createWorkerLog({ destination: { write: (line) => lines.push(line) } });
    const title = 'a\u001b[2J\u009b1m\u202e\u200b b';
    log.info({ title }, title);
    expect(lines[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ title, msg: title });
  });
});
