import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

/** Files of one end of a connection, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Longer than any run of the tests. */
const DAYS = '3';
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', DAYS];

/** A certificate authority that nobody else trusts, made for one cluster. */
export class Authority {
  private constructor(
    private readonly folder: string,
    private readonly own: Certificate,
    private readonly clock: NodeJS.ProcessEnv,
  ) {}

  /** Whom both ends of a connection trust. */
  get certificate(): string {
    return this.own.cert;
  }

  /**
   * @param folder is made where it is missing
   * @param clock variables of a clock that is behind, for certificates that hold good to others which are
   */
  static make(folder: string, clock: NodeJS.ProcessEnv = {}): Authority {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const own = filesOf(folder, 'authority');
    openssl(['req', '-x509', ...newKey, '-subj', '/CN=authority of a test', ...outTo(own)], clock);
    return new Authority(folder, own, clock);
  }

  /** A certificate for whoever serves on this machine, or asks there, or both. @param name its common name */
  issue(name: string): Certificate {
    const leaf = filesOf(this.folder, name);
    const extensions = [
      'basicConstraints=critical,CA:FALSE',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      'extendedKeyUsage=serverAuth,clientAuth',
    ].flatMap((each) => ['-addext', each]);
    const signed = ['-CA', this.own.cert, '-CAkey', this.own.key];
    const asked = ['-subj', `/CN=${name}`, ...extensions];
    openssl(['req', '-x509', ...signed, ...newKey, ...asked, ...outTo(leaf)], this.clock);
    return leaf;
  }
}

const filesOf = (folder: string, name: string): Certificate => ({
  cert: path.join(folder, `${name}.pem`),
  key: path.join(folder, `${name}.key`),
});

const outTo = ({ cert, key }: Certificate): string[] => ['-keyout', key, '-out', cert];

/** Throws with what it said. */
const openssl = (args: readonly string[], clock: NodeJS.ProcessEnv): void =>
  void execFileSync('openssl', args, { stdio: 'pipe', env: { ...process.env, ...clock } });
