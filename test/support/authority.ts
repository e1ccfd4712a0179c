import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files of one end of a connection, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Longer than any run of the tests. */
const DAYS = '3';
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

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
    const subject = ['-subj', '/CN=authority of a test', '-days', DAYS];
    openssl(['req', '-x509', ...newKey, ...subject, '-keyout', own.key, '-out', own.cert], clock);
    return new Authority(folder, own, clock);
  }

  /**
   * A certificate for whoever serves on this machine, or asks there, or both.
   * @param name its common name
   * @param names for whom it holds good, as openssl has them; none leaves it to the common name. @default this machine
   */
  issue(name: string, names = 'DNS:localhost,IP:127.0.0.1'): Certificate {
    const leaf = filesOf(this.folder, name);
    const [request, extensions] = [`${leaf.cert}.request`, `${leaf.cert}.extensions`];
    const named = names === '' ? [] : [`subjectAltName=${names}`];
    const lines = ['basicConstraints=CA:FALSE', ...named, 'extendedKeyUsage=serverAuth,clientAuth'];
    writeFileSync(extensions, lines.join('\n'));
    openssl(['req', ...newKey, '-subj', `/CN=${name}`, '-keyout', leaf.key, '-out', request], this.clock);
    const by = ['-CA', this.own.cert, '-CAkey', this.own.key, '-CAcreateserial', '-days', DAYS];
    openssl(['x509', '-req', '-in', request, ...by, '-extfile', extensions, '-out', leaf.cert], this.clock);
    return leaf;
  }
}

const filesOf = (folder: string, name: string): Certificate => ({
  cert: path.join(folder, `${name}.pem`),
  key: path.join(folder, `${name}.key`),
});

/** Throws with what it said. */
const openssl = (args: readonly string[], clock: NodeJS.ProcessEnv) =>
  void execFileSync('openssl', args, { stdio: 'pipe', env: { ...process.env, ...clock } });
