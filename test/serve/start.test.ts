import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import https, { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, it, jest } from '@jest/globals';
import pino from 'pino';
import { stringify } from 'yaml';
import { loadConfig } from '../../src/config/load-config';
import { hashOfKey } from '../../src/serve/access';
import { readCertificate, renewCertificate } from '../../src/serve/certificate';
import { startServer } from '../../src/serve/server';
import { expectEnd, inProcess } from '../support/in-process';
import { until } from '../support/until';
import { aFolder } from '../support/folder';

const folder = aFolder();
const at = (name: string) => path.join(folder, name);
const silent = pino({ level: 'silent' });

/** A portolan.yaml with this `serve`. */
function configured(serve: object) {
  const auth = { type: 'token', token: { env: 'NOBODY' } };
  const staging = { url: 'http://127.0.0.1:9/portal/sharing/rest', auth };
  writeFileSync(at('portolan.yaml'), stringify({ portals: { staging }, serve }));
  return at('portolan.yaml');
}
const open = { address: '127.0.0.1:0', open: true };

function makeCertificate(name: string) {
  const made = { cert: at(`${name}-cert.pem`), key: at(`${name}-key.pem`) };
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...how, '-days', '1', ...names, '-keyout', made.key, '-out', made.cert], {
    stdio: 'ignore',
  });
  return made;
}

describe('portolan serve', () => {
  const far = { address: '0.0.0.0:0', insecure: true };
  const signIn = { portal: 'staging', appId: 'portolan-app' };
  it.each<[string, object]>([
    ['gives no one access: serve has no keys', {}],
    ['serve.open: accepts everyone', { ...far, open: true }],
    ['would take keys over plain http', { address: '0.0.0.0:0' }],
    ['serve.signIn.portal: unknown portal "nowhere"', { signIn: { ...signIn, portal: 'nowhere' } }],
    ['serve.url: is missing', { ...far, signIn }],
    ['over plain http; use https', { ...far, url: 'http://portolan.example.com', signIn }],
    ['set users, groups or roles', { signIn: { ...signIn, people: [{ rights: ['view'] }] } }],
  ])('does not start: %s', async (words, serve) => {
    await expectEnd(inProcess(['serve', '--config', configured(serve)], { cwd: folder }), 2, words);
  });

  it('prints a key once, and its hash for portolan.yaml', async () => {
    const { stdout } = await inProcess(['serve', 'key', 'ci'], { cwd: folder });
    const [, key = '', sha256] =
      /^key {2}([\w-]{43})\n\nin portolan\.yaml:\nserve:\n {2}keys:\n {4}ci:\n {6}sha256: ([0-9a-f]{64})\n$/.exec(
        stdout,
      ) ?? [];
    expect(sha256).toBe(hashOfKey(key));
  });

  it('responds only by https if it has a certificate', async () => {
    const { cert, key } = makeCertificate('localhost');
    const config = loadConfig(configured({ ...open, tls: { cert, key } }));
    const made = jest.spyOn(https, 'createServer');
    const safe = await startServer(config, silent);
    try {
      // A request sent byte by byte has the same time limits as over plain http.
      const limits = { connectionsCheckingInterval: 1_000, headersTimeout: 15_000 };
      expect(made.mock.calls.map(([given]) => given)).toEqual([expect.objectContaining(limits)]);
      const { port } = new URL(safe.url);
      const url = `https://localhost:${port}/healthz`;
      const [answer] = (await once(https.get(url, { ca: readFileSync(cert) }), 'response')) as [
        { statusCode: number; destroy(): void },
      ];
      answer.destroy();
      expect(answer.statusCode).toBe(200);
      await expect(fetch(`http://localhost:${port}/healthz`)).rejects.toThrow('fetch failed');
      const taken = { ...config, serve: { ...config.serve, address: new URL(safe.url).host } };
      await expect(startServer(taken, silent)).rejects.toMatchObject({ code: 'ADDRESS_IN_USE' });
    } finally {
      made.mockRestore();
      await safe.close();
    }
    const lost = loadConfig(configured({ ...open, tls: { cert, key: `${key}.lost` } }));
    await expect(startServer(lost, silent)).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' });
  });
});

it('a certificate is replaced without a restart, and never by one without its key', async () => {
  const tls = { cert: at('cert.pem'), key: at('key.pem') };
  const [first, second] = [makeCertificate('first'), makeCertificate('second')];
  copyFileSync(first.cert, tls.cert);
  copyFileSync(first.key, tls.key);
  const server = createServer(await readCertificate(tls)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shown = async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  };
  let log = '';
  const end = renewCertificate(server, tls, pino({}, { write: (line) => (log += line) }), 10);
  try {
    // Node begins to watch a file a moment later.
    await until('a certificate without its key', () => {
      copyFileSync(second.cert, tls.cert);
      return log.includes('cannot be used');
    });
    expect(await shown()).toBe('first');
    copyFileSync(second.key, tls.key);
    await until('the second certificate', shown, (name) => name === 'second');
    expect(log).not.toContain(readFileSync(tls.key, 'utf8'));
  } finally {
    end();
    server.close();
  }
});
