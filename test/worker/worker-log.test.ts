import { describe, expect, it } from '@jest/globals';
import { createWorkerLog, maskSecrets } from '../../src/worker-log';

describe("a worker's log", () => {
  it.each([
    [
      'GET /sharing/rest/jobs/1?f=json&key=s3cret&token=t0ken',
      'GET /sharing/rest/jobs/1?f=json&key=***&token=***',
    ],
    ['{"password":"s3cret","user":"sync"}', '{"password":"***","user":"sync"}'],
    ['{"body":"{\\"token\\":\\"t0ken\\"}"}', '{"body":"{\\"token\\":\\"***\\"}"}'],
    ['x-esri-authorization: Bearer t0ken', 'x-esri-authorization: ***'],
    ['Bearer abc.def-ghi', 'Bearer ***'],
    ['client_secret=s3cret refresh_token=r', 'client_secret=*** refresh_token=***'],
    [
      'https://store.example.com/p.zip?X-Amz-Signature=abc&part=1',
      'https://store.example.com/p.zip?X-Amz-Signature=***&part=1',
    ],
  ])('masks %s', (line, masked) => {
    expect(maskSecrets(line)).toBe(masked);
  });

  it('leaves words alone that only sound like secrets', () => {
    const line = 'monkey=1 keys: 3 tokens left, the key is gone';
    expect(maskSecrets(line)).toBe(line);
  });

  it('masks whole events, wherever in them the secret is', () => {
    const lines: string[] = [];
    const log = createWorkerLog({ destination: { write: (line) => lines.push(line) } });
    log.info(
      { url: 'https://p.example.com/jobs/1?key=s3cret', headers: { authorization: 'Bearer t0ken' } },
      'token=t0ken',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/s3cret|t0ken/);
  });
});
