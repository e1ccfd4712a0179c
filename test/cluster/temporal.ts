import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answersAt } from '../../src/temporal/dev-server/address';
import { childEnvironment, cliCacheDir } from '../../src/temporal/dev-server/temporal-cli';
import { until } from '../support/until';
import { Daemon } from './daemon';
import { type DatabaseAccess, databases, ROLE } from './postgresql';

/** The version that scripts/test-cluster.mjs builds: the one in the CLI that `portolan up` runs. */
export const VERSION = '1.29.1';

const programs = path.join(path.dirname(cliCacheDir()), `temporal-server-${VERSION}`);

/** The settings that docker-compose.yml gives its server, which it reads again while it runs. */
const dynamicConfig = path.join(__dirname, '..', '..', 'docker', 'temporal-dynamic-config.yaml');

/** As which processes a server runs, and what each is made of. */
export const processes = {
  frontend: ['frontend'],
  history: ['history', 'matching', 'worker'],
} as const;
export type ProcessName = keyof typeof processes;

const services = Object.values(processes).flat();
/** Nobody asks the server's own workflows anything. */
const isAsked = (service: (typeof services)[number]): boolean => service !== 'worker';

/** What people copy. */
const sample = path.join(__dirname, '..', '..', 'deploy', 'temporal', 'server.yaml');
/** Its ports, in the order of the services. */
const samplePorts = [7233, 6933, 7234, 6934, 7235, 6935, 7239, 6939];

/** Ports that one server needs: two for each service. */
export const PORTS = 2 * services.length;

export interface TemporalOptions {
  /** Keeps its configuration and logs. */
  readonly folder: string;
  /** So many as `PORTS` says; the first is where clients ask. */
  readonly ports: readonly number[];
  readonly database: DatabaseAccess;
}

/** Makes the tables of both databases, as the owner of these. */
export function makeSchema({ port, authority, own }: DatabaseAccess): void {
  const env = {
    ...childEnvironment('server'),
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(port),
    SQL_USER: ROLE,
    SQL_TLS: 'true',
    SQL_TLS_CA_FILE: authority,
    SQL_TLS_CERT_FILE: own.cert,
    SQL_TLS_KEY_FILE: own.key,
  };
  for (const [database, schema] of [
    [databases.default, 'temporal'],
    [databases.visibility, 'visibility'],
  ] as const)
    for (const step of [
      ['setup-schema', '--version', '0.0'],
      ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
    ])
      execFileSync(path.join(programs, 'temporal-sql-tool'), ['--database', database, ...step], {
        stdio: 'pipe',
        env,
      });
}

/** The server's own configuration file, of all its processes: the sample, with places of this machine in it. */
export function configurationOf({ ports, database: { authority, own, port } }: TemporalOptions): string {
  const places = new Map([
    ['db.example.com:5432', `127.0.0.1:${port}`],
    ['db.example.com', 'localhost'],
    ['temporal.example.com', 'localhost'],
    ['/etc/temporal/ca.pem', authority],
    ['/etc/temporal/temporal.pem', own.cert],
    ['/etc/temporal/temporal.key', own.key],
    ['/etc/temporal/dynamic-config.yaml', dynamicConfig],
    ['bindOnIP: 0.0.0.0', 'bindOnLocalHost: true'],
    ...samplePorts.map((each, at) => [String(each), String(ports[at])] as const),
  ]);
  // In one go, so that nothing is replaced in what has just been put in.
  const any = new RegExp([...places.keys()].join('|').replaceAll('.', '\\.'), 'g');
  return readFileSync(sample, 'utf8').replace(any, (place) => places.get(place) ?? place);
}

/** A production server in two processes. */
export class TemporalCluster {
  private readonly daemons: Readonly<Record<ProcessName, Daemon>>;

  constructor(private readonly options: TemporalOptions) {
    const { folder } = options;
    mkdirSync(path.join(folder, 'config'), { recursive: true });
    writeFileSync(path.join(folder, 'config', 'cluster.yaml'), configurationOf(options));
    const daemonOf = (name: ProcessName): Daemon => {
      const which = processes[name].flatMap((service) => ['--service', service]);
      const args = ['--root', folder, '--env', 'cluster', '--allow-no-auth', 'start', ...which];
      const log = path.join(folder, `${name}.log`);
      return new Daemon({ file: path.join(programs, 'temporal-server'), args, cwd: folder, log });
    };
    this.daemons = { frontend: daemonOf('frontend'), history: daemonOf('history') };
  }

  /** Ports at which its services are asked, by clients and by each other. */
  get askedAt(): number[] {
    return services.flatMap((service, at) => (isAsked(service) ? (this.options.ports[2 * at] ?? 0) : []));
  }

  /** `host:port` for clients: a certificate is for a name, and Node warns of one that is asked for an address. */
  get address(): string {
    return `localhost:${this.options.ports[0]}`;
  }

  /** Starts these again. Returns once they take connections, which is before they do any work. */
  async restart(...names: readonly ProcessName[]): Promise<void> {
    for (const name of names) this.daemons[name].start();
    await Promise.all(
      names.flatMap((name) =>
        processes[name].filter(isAsked).map(async (service) => {
          const port = this.options.ports[2 * services.indexOf(service)] ?? 0;
          await until(`the ${service} of Temporal to listen`, () => {
            // As whatever watches over a server does: of two that make an empty database theirs at once, one ends.
            if (!this.daemons[name].isUp) {
              this.daemons[name].start();
              throw new Error(`it ended:\n${this.daemons[name].lastWords}`);
            }
            return answersAt({ host: '127.0.0.1', port });
          });
        }),
      ),
    );
  }

  async kill(...names: readonly ProcessName[]): Promise<void> {
    await Promise.all(names.map((name) => this.daemons[name].kill()));
  }
}
