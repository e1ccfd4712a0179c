import { expect, it } from '@jest/globals';
import { Redaction } from '../../../src/service/support/redaction';

/** What encodings change: a space, quotes, a backslash, and what base64 writes as `+` and `/`. */
const SECRET = 'pa55 "word"\\not/to+be=seen?~~~>>>';

const inJson = (text: string) => JSON.stringify({ said: text });
const forms: readonly [string, string][] = [
  ['as it is', `said: ${SECRET}`],
  ['in a form', new URLSearchParams({ any: SECRET, f: 'json' }).toString()],
  ['in an address', `https://portal/x?any=${encodeURIComponent(SECRET)}`],
  ['in JSON', inJson(SECRET)],
  ['in JSON that is a text of JSON', inJson(inJson(SECRET))],
  ['in base64', Buffer.from(`user:${SECRET}`).toString('base64')],
  ['in base64 of addresses', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
];

it.each(forms)('a known secret is masked in a bundle %s', (_, words) => {
  const left = new Redaction([SECRET]).text(words);
  expect(left).toContain('***');
  for (const part of ['pa55', 'word', 'seen', Buffer.from('not/to').toString('hex')])
    expect(left).not.toContain(part);
  expect(left).not.toMatch(/bm90L3RvK2Jl|90L3RvK2JlP|L3RvK2JlPXNl/);
});

it.each([
  ['a form', 'username=gis&password=hunter22&f=json'],
  ['JSON', '{"password":"hunter22"}'],
  ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ token: 'hunter22' }) })],
  [
    'JSON in JSON in JSON',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ token: 'hunter22' }) }) }),
  ],
  ['a header', 'Authorization: Bearer hunter22'],
  ['a header of a name and a password', 'Authorization: Basic aHVudGVyMjI6eA=='],
])('a value whose name says secret is masked in %s', (_, words) => {
  const left = new Redaction([]).text(words);
  expect(left).toContain('***');
  expect(left).not.toMatch(/hunter22|aHVudGVy/);
});
