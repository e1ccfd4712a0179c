import { describe, expect, it } from '@jest/globals';
import { maskSecrets } from '../../../src/model/text/mask-secrets';

describe('masking', () => {
  it.each([
    ['GET /jobs/1?f=json&key=s3cret&token=t0ken', 'GET /jobs/1?f=json&key=***&token=***'],
    ['{"password":"s3cret","user":"sync"}', '{"password":"***","user":"sync"}'],
    ['{"body":"{\\"token\\":\\"t0ken\\"}"}', '{"body":"{\\"token\\":\\"***\\"}"}'],
    ['serviceUsername=sync&servicePassword=s3cret', 'serviceUsername=sync&servicePassword=***'],
    ['"newPassword":"s3cret"', '"newPassword":"***"'],
    ["(token='t0ken')", "(token='***')"],
    ['x-esri-authorization: Bearer t0ken', 'x-esri-authorization: ***'],
    ['Bearer abc.def-ghi', 'Bearer ***'],
    ['Proxy asks: Basic aHVudGVyMjI6eA==, twice', 'Proxy asks: Basic ***, twice'],
    ['asked with basic c3luYzphYmNk', 'asked with Basic ***'],
    ['{"password":"a, b) \\"c\\" d","user":"sync"}', '{"password":"***","user":"sync"}'],
    ['client_secret=s3cret refresh_token=r', 'client_secret=*** refresh_token=***'],
    [
      'https://x.example.com/p.zip?X-Amz-Signature=abc&X-Amz-Date=1&part=1',
      'https://x.example.com/p.zip?X-Amz-Signature=***&X-Amz-Date=***&part=1',
    ],
    ['//sync:s3cret@gis.example.com/x', '//***@gis.example.com/x'],
    ['see https://sync@gis.example.com/x?code=c0de#top', 'see https://***@gis.example.com/x?code=***#top'],
    ['https://x.example.com/a?TOKEN=a,b&signature=s', 'https://x.example.com/a?TOKEN=***&signature=***'],
  ])('takes the secrets out of %s', (words, masked) => {
    expect(maskSecrets(words)).toBe(masked);
  });

  it('leaves words alone that only sound like secrets', () => {
    const words =
      'monkey=1 keys: 3 tokens left, the key is gone, Basic authentication, a basic question, Basic Auth needed, code=498, https://gis.example.com/a@b';
    expect(maskSecrets(words)).toBe(words);
  });
});
