import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { searchAttributeNames } from '../../src/model/run/run-id';
import { freePorts } from '../../src/temporal/dev-server/address';
import { childEnvironment, findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { until } from '../support/until';
import { clockAt } from './clocks';
import { Authority, type Certificate } from '../support/authority';
import { Postgresql } from './postgresql';
import { makeSchema, PORTS, type ProcessName, processes, TemporalCluster } from './temporal';

const run = promisify(execFile);

/** Names of Temporal's own variables, by which Portolan and Temporal's command line find the server. */
type Variables = Readonly<Record<`TEMPORAL_${string}`, string>>;

/**
 * A production Temporal server on PostgreSQL, set up with the commands of docs/guide/cluster.md: tables, a namespace
 * that keeps ended runs for a day, and Portolan's search attributes. Every connection uses client certificates.
 */
export class Cluster {
  private constructor(
    private readonly folder: string,
    readonly authority: Authority,
    readonly postgresql: Postgresql,
    private readonly temporal: TemporalCluster,
    /** That of workers, servers and commands. */
    readonly client: Certificate,
  ) {}

  static async start(): Promise<Cluster> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-cluster-'));
    const authority = Authority.make(path.join(folder, 'certificates'), clockAt(-12));
    const [port = 0, ...ports] = await freePorts(1 + PORTS);
    const postgresql = await Postgresql.start(port, authority);
    const database = { port, authority: authority.certificate, own: authority.issue('temporal') };
    const temporal = new TemporalCluster({ folder, ports, database });
    const cluster = new Cluster(folder, authority, postgresql, temporal, authority.issue('portolan'));
    try {
      makeSchema(database);
      await temporal.restart(...cluster.processes);
      await cluster.makeNamespace();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get address(): string {
    return this.temporal.address;
  }

  /** Ports of the server's services. */
  get askedAt(): number[] {
    return this.temporal.askedAt;
  }

  /** What a process needs in its environment to speak to the server. */
  get variables(): Variables {
    return {
      TEMPORAL_TLS: 'true',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: this.authority.certificate,
      TEMPORAL_TLS_CLIENT_CERT_PATH: this.client.cert,
      TEMPORAL_TLS_CLIENT_KEY_PATH: this.client.key,
    };
  }

  get processes(): ProcessName[] {
    return Object.keys(processes) as ProcessName[];
  }

  /** Kills these of the server's processes with -9 at once. */
  killTemporal(...names: readonly ProcessName[]): Promise<void> {
    return this.temporal.kill(...names);
  }

  /** Starts them again. Returns once the server does work for clients. */
  async restartTemporal(...names: readonly ProcessName[]): Promise<void> {
    await this.temporal.restart(...names);
    await this.answers();
  }

  /** Returns once an operator's command and a client's are answered. */
  async answers(): Promise<void> {
    await until('the namespace', () => this.type('operator', 'namespace', 'describe', 'default'));
    await until('a count of runs', () => this.type('workflow', 'count'));
  }

  /** Types a command of Temporal's own. */
  async type(...args: readonly string[]): Promise<string> {
    const { path: file } = await findTemporalCli();
    const { stdout } = await run(file, ['--address', this.address, ...args], {
      env: { ...childEnvironment('server'), ...this.variables },
    });
    return stdout;
  }

  async stop(): Promise<void> {
    await this.temporal.kill(...this.processes);
    await this.postgresql.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async makeNamespace(): Promise<void> {
    await until('a server that makes a namespace', () =>
      this.type('operator', 'namespace', 'create', '--namespace', 'default', '--retention', '24h'),
    );
    const attributes = Object.values(searchAttributeNames).flatMap((name) => [
      '--type',
      'Keyword',
      '--name',
      name,
    ]);
    await until('a server that takes search attributes', () =>
      this.type('operator', 'search-attribute', 'create', '--namespace', 'default', ...attributes),
    );
    await this.answers();
  }
}
