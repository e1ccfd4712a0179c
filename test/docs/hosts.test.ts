import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, root, sectionOf, tableRows } from './pages';

/** Code that opens a connection or resolves a name: imports of such a module or of its functions, and clients. */
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

/** The hosts of SECURITY.md, by the start of their row, and the files that connect to them. */
const files: Readonly<Record<string, readonly string[]>> = {
  Portals: ['src/portal/http/transport.ts', 'src/portal/http/allowed-addresses.ts'],
  Temporal: [
    'src/temporal/connection.ts',
    'src/temporal/unreachable.ts',
    'src/temporal/worker.ts',
    'src/temporal/dev-server/address.ts',
  ],
  '`server`': ['src/client/server-connection.ts'],
  'Store bucket': ['src/store/s3/s3-connection.ts'],
  '`notify` webhooks': ['src/domain/notify/receivers.ts'],
  'Stage `checks`': ['src/domain/release/checks/one-try.ts'],
  'Trace receiver': ['src/tracing/span-exporter.ts'],
  '`github.com`': ['src/temporal/dev-server/temporal-cli.ts'],
};

describe('connections', () => {
  it('are opened only by the files listed here [P24]', () => {
    const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('simulator'))
      .map((file) => path.join('src', file));
    const opening = sources.filter((file) => {
      const code = readFileSync(path.join(root, file), 'utf8').replace(/^\s*(?:\*|\/\/).*$/gm, '');
      return opens.some((pattern) => pattern.test(code));
    });
    expect(opening.sort()).toEqual(Object.values(files).flat().sort());
  });

  it('go to the hosts that SECURITY.md lists', () => {
    const hosts = tableRows(sectionOf(readPage('SECURITY.md'), 'Hosts contacted')).map(([host]) => host);
    expect(hosts).toEqual(Object.keys(files).map((host) => expect.stringMatching(new RegExp(`^${host}`))));
  });
});
