import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../../src/temporal/dev-server/temporal-cli';
import { until } from '../support/until';
import type { Authority, Certificate } from '../support/authority';
import { type Account, Daemon } from './daemon';

/** Where distributions put the programs of each version, which are not on PATH. */
const VERSIONS = '/usr/lib/postgresql';

const DUMP_MAX = 512 * 1024 ** 2;

/** The role that owns Temporal's databases, and whose name its certificate has. */
export const ROLE = 'temporal';
/** The default store and that of visibility. */
export const databases = { default: 'temporal', visibility: 'temporal_visibility' } as const;

/** Folder of `initdb` and `postgres`; undefined where there is none. */
export function postgresqlPrograms(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const newestFirst = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((each) => path.join(VERSIONS, each, 'bin'));
  const onPath = (process.env['PATH'] ?? '').split(path.delimiter);
  return [...newestFirst, ...onPath].find((folder) => existsSync(path.join(folder, 'initdb')));
}

/** It refuses to run as root: then it runs as the user that its package has made. */
function account(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (which: string): number =>
    Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/**
 * A PostgreSQL on a folder of its own, with the databases of a Temporal server and a role that owns them and may do
 * nothing else. Over the network it takes that role alone, by a certificate and no password.
 */
export class Postgresql {
  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly daemon: Daemon,
    private readonly programs: string,
    private readonly account: Account | undefined,
  ) {}

  /** @throws Error that says what to type where there is none on this machine */
  static async start(port: number, authority: Authority): Promise<Postgresql> {
    const programs = postgresqlPrograms();
    if (programs === undefined) throw new Error('no PostgreSQL on this machine; type: npm run test:cluster');
    const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-postgresql-'));
    const data = path.join(folder, 'data');
    const who = account();
    const give = (file: string): void => {
      if (who) chownSync(file, who.uid, who.gid);
    };
    give(folder);
    const as = { cwd: folder, stdio: 'pipe', env: childEnvironment('server'), ...who } as const;
    const made = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '-A', 'trust'];
    execFileSync(path.join(programs, 'initdb'), made, as);
    const own = authority.issue('postgresql');
    const files: Record<string, string> = { cert: own.cert, key: own.key, ca: authority.certificate };
    for (const [name, from] of Object.entries(files)) {
      const to = path.join(data, `server.${name}`);
      copyFileSync(from, to);
      chmodSync(to, 0o600);
      give(to);
    }
    const settings = {
      listen_addresses: "'127.0.0.1'",
      port,
      unix_socket_directories: `'${folder}'`,
      max_connections: 200,
      ssl: 'on',
      ssl_cert_file: "'server.cert'",
      ssl_key_file: "'server.key'",
      ssl_ca_file: "'server.ca'",
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(path.join(data, 'postgresql.auto.conf'), lines.join(''));
    // Its administrator comes by the socket, which lies in a folder that is closed to others.
    const doors = `local all postgres trust\nhostssl all ${ROLE} 127.0.0.1/32 cert\n`;
    writeFileSync(path.join(data, 'pg_hba.conf'), doors);
    const log = path.join(folder, 'log');
    const daemon = new Daemon({
      file: path.join(programs, 'postgres'),
      args: ['-D', data],
      cwd: folder,
      log,
      account: who,
    });
    const server = new Postgresql(folder, port, daemon, programs, who);
    await server.restart();
    server.sql(`CREATE ROLE ${ROLE} LOGIN`);
    for (const name of Object.values(databases)) server.sql(`CREATE DATABASE ${name} OWNER ${ROLE}`);
    return server;
  }

  /** Runs a statement as its administrator. @returns rows, one a line, columns between `|` */
  sql(statement: string, database = 'postgres'): string {
    const where = ['-h', this.folder, '-p', String(this.port), '-U', 'postgres', '-d', database];
    return execFileSync(path.join(this.programs, 'psql'), [...where, '-XAtqc', statement], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: 'pipe',
      env: childEnvironment('server'),
      ...this.account,
    }).trim();
  }

  /**
   * Signs in over the network, and says who that is.
   * @throws with what the server said, where it lets nobody in
   */
  enter(user: string, authority: string, own?: Certificate): string {
    const shown = own ? `sslcert=${own.cert} sslkey=${own.key}` : 'sslcert=none';
    const where = `host=localhost port=${this.port} user=${user} dbname=${databases.default}`;
    const how = `sslmode=verify-full sslrootcert=${authority} ${shown}`;
    return execFileSync(
      path.join(this.programs, 'psql'),
      ['-XAtwc', 'SELECT current_user', `${where} ${how}`],
      { encoding: 'utf8', stdio: 'pipe', env: childEnvironment('server') },
    ).trim();
  }

  /** Which of these words stand in a row of Temporal's databases, as text or within bytes. */
  holds(words: readonly string[]): string[] {
    const all = Object.values(databases).map((name) =>
      execFileSync(
        path.join(this.programs, 'pg_dump'),
        ['-h', this.folder, '-p', String(this.port), '-U', 'postgres', '--data-only', name],
        {
          cwd: this.folder,
          encoding: 'utf8',
          stdio: 'pipe',
          env: childEnvironment('server'),
          maxBuffer: DUMP_MAX,
          ...this.account,
        },
      ),
    );
    const forms = (word: string): string[] => [word, Buffer.from(word).toString('hex')];
    return words.filter((word) => forms(word).some((form) => all.some((dump) => dump.includes(form))));
  }

  /** The postmaster alone; what it has forked notices, each by itself. */
  kill(): Promise<void> {
    return this.daemon.kill();
  }

  /** Starts it again on the same folder. Returns once it answers. */
  async restart(): Promise<void> {
    await until('PostgreSQL to answer', () => {
      // What is left of one that was killed may hold the memory for a moment: it ends then, and is to be tried again.
      if (!this.daemon.isUp) this.daemon.start();
      return this.sql('SELECT 1') === '1';
    }).catch((error: unknown) => {
      throw new Error(`PostgreSQL does not start:\n${this.daemon.lastWords}`, { cause: error });
    });
  }

  async stop(): Promise<void> {
    await this.daemon.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** How a program reaches the databases: by the certificate of their role. */
export interface DatabaseAccess {
  readonly port: number;
  readonly authority: string;
  readonly own: Certificate;
}
