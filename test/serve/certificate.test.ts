import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { readCertificate, renewCertificate } from '../../src/serve/certificate';
import { until } from '../support/until';

let folder: string;
let server: Server;
let log = '';
const at = (name: string): string => path.join(folder, name);
const tls = () => ({ cert: at('cert.pem'), key: at('key.pem') });

function makeCertificate(name: string): void {
  const [cert, key] = [at(`${name}-cert.pem`), at(`${name}-key.pem`)];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...how, '-days', '1', '-subj', `/CN=${name}`, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
}

/** Whose certificate is shown to whoever connects now. */
const shown = (): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.once('error', reject);
  });

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'portolan-certificate-'));
  for (const name of ['first', 'second']) makeCertificate(name);
  copyFileSync(at('first-cert.pem'), tls().cert);
  copyFileSync(at('first-key.pem'), tls().key);
  server = createServer(await readCertificate(tls())).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

describe('a certificate', () => {
  it('that is renewed is shown without another start, and never one without its key', async () => {
    const logger = pino({}, { write: (line) => (log += line) });
    const end = renewCertificate(server, tls(), logger, 10);
    try {
      expect(await shown()).toBe('first');
      copyFileSync(at('second-cert.pem'), tls().cert);
      await until('a look at half of it', () => log.includes('cannot be used'));
      expect(await shown()).toBe('first');
      copyFileSync(at('second-key.pem'), tls().key);
      await until('the second certificate', shown, (name) => name === 'second');
      expect(log).not.toContain(await readFile(tls().key, 'utf8'));
    } finally {
      end();
    }
  });
});
