import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  /** Signed by itself. */
  readonly cert: string;
}

/** A certificate that nobody vouches for. @param days until it ends; below 0 it has ended */
export function certificateFor(name: `IP:${string}` | `DNS:${string}`, days = 2): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-ca-'));
  const [key, request, extensions, cert] = ['key', 'request', 'extensions', 'cert'].map((file) =>
    join(folder, file),
  ) as [string, string, string, string];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  try {
    writeFileSync(extensions, `subjectAltName=${name}`);
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=portal'];
    openssl('req', '-new', ...kind, '-keyout', key, '-out', request);
    const signed = ['-signkey', key, '-days', String(days), '-extfile', extensions];
    openssl('x509', '-req', '-in', request, ...signed, '-out', cert);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
