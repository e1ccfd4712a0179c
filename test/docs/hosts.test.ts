import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, root, sectionOf, spansOf, tableRows } from './pages';

/** What opens a connection, or asks who has a name: a module as a whole, or what is taken out of it; a client. */
const modules = "(?:undici|(?:node:)?(?:dgram|dns|http|http2|https|net|tls|dns/promises))'";
const opens = [
  new RegExp(`^import (?!type)(?:\\w+|\\* as \\w+)(?:, [^;]*)? from '${modules}`, 'm'),
  new RegExp(
    `^import (?!type)[^;']*\\b(?:connect|createConnection|fetch|get|lookup|request|Socket|Pool|Client)\\b[^;']*from '${modules}`,
    'm',
  ),
  /\brequire\('(?:undici|(?:node:)?(?:dgram|dns|http2?|https|net|tls))'\)/,
  /\bnew (?:S3Client|WebSocket|EventSource)\(/,
  /^import (?!type)[^;]*from '@opentelemetry\/exporter-/m,
  /\b(?:Native)?Connection\.(?:connect|lazy)\(/,
  /(?<![.#\w] ?)\bfetch\(/,
];

describe('connections', () => {
  it('are opened by the files that SECURITY.md names, and by no others', () => {
    const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('simulator'))
      .map((file) => path.join('src', file));
    const opening = sources.filter((file) => {
      const code = readFileSync(path.join(root, file), 'utf8').replace(/^\s*(?:\*|\/\/).*$/gm, '');
      return opens.some((pattern) => pattern.test(code));
    });
    const named = tableRows(sectionOf(readPage('SECURITY.md'), 'Every host that is contacted')).flatMap(
      ([, , from = '']) => spansOf(from),
    );
    expect(opening.sort()).toEqual(named.sort());
  });
});
