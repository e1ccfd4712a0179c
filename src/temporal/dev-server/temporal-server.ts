import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import { isLoopback } from '../../model/identity';
import { searchAttributeNames } from '../../model/run/run-id';
import { connectTemporal } from '../connection';
import { registerSearchAttributes } from '../search-attributes';
import { type Address, answersAt, freePorts, hiddenAddress, listenHost, parseAddress } from './address';
import { childEnvironment } from './temporal-cli';

/** How long ended runs stay in Temporal. */
const RETENTION_S = 90 * 24 * 60 * 60;
const START_LIMIT_MS = 60_000;
/** How long the server of a killed process takes to end, on a busy machine. */
const PORT_LIMIT_MS = 2_000;
/** State is for its owner alone. */
const FOLDER_MODE = 0o700;
const FIRST_RESTART_DELAY_MS = 100;
const LONGEST_RESTART_DELAY_MS = 5_000;

export interface TemporalServerOptions {
  /** Path of the Temporal CLI. */
  readonly cli: string;
  /** `host:port`, loopback only; port 0 takes a free one. */
  readonly address: string;
  /** Whether Temporal's Web UI runs too. @default false */
  readonly ui?: boolean;
  /** SQLite file that outlives the server. @default in memory */
  readonly database?: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** Takes the server's output. */
  readonly logFile: string;
  /** Reports events of the server: died, restarted. */
  readonly onEvent?: (event: string) => void;
}

export interface TemporalServer {
  /** `host:port` */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl?: string;
  /** Process id of the server that runs now. */
  pid(): number;
  /** Stops it. Workers must be stopped first. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal's development server on this machine, waits until it answers, and restarts it on the same database if
 * it dies. It ends with this process.
 *
 * Its Web UI answers any request of this machine, so it listens where no web page finds it.
 * @throws PortolanError `CONFIG_INVALID` (not loopback), `ADDRESS_IN_USE`, `TEMPORAL_UNREACHABLE` (does not start)
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const settings = await settle(options);
  const { address, database, logFile, namespace, ui } = settings;
  for (const file of [logFile, database]) {
    if (file !== undefined) await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
  }
  for (const deadline = Date.now() + PORT_LIMIT_MS; await answersAt(settings); await sleep(50)) {
    if (Date.now() > deadline)
      throw new PortolanError('ADDRESS_IN_USE', `Another program already listens at ${address}`);
  }
  const onEvent = options.onEvent ?? (() => {});
  let server = spawnServer(settings);
  let stopping = false;
  await prepare(settings, server).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });

  const keepAlive = async (): Promise<void> => {
    let delay = FIRST_RESTART_DELAY_MS;
    for (;;) {
      await server.gone;
      if (stopping) return;
      if (database === undefined) return onEvent('Temporal died and cannot be restarted: it has no database');
      onEvent('Temporal died; restarting it with the same database');
      server = spawnServer(settings);
      try {
        await prepare(settings, server);
        onEvent('Temporal is running again');
        delay = FIRST_RESTART_DELAY_MS;
      } catch (error) {
        onEvent(PortolanError.from(error).message);
        await sleep(delay, undefined, { ref: false });
        delay = Math.min(2 * delay, LONGEST_RESTART_DELAY_MS);
      }
      if (stopping) await server.stop();
    }
  };
  const keeper = keepAlive();

  return {
    address,
    namespace,
    uiUrl: ui && `http://${ui.host}:${ui.port}`,
    pid: () => server.pid,
    async stop() {
      stopping = true;
      await server.stop();
      await keeper;
    },
  };
}

/** What one server process is started with; everything is decided here. */
interface ServerSettings extends Address, Pick<TemporalServerOptions, 'cli' | 'database' | 'logFile'> {
  readonly address: string;
  readonly namespace: string;
  /** Where the Web UI listens; undefined without it. */
  readonly ui?: Address;
}

async function settle(options: TemporalServerOptions): Promise<ServerSettings> {
  const { host, port: asked } = parseAddress(options.address);
  if (!isLoopback(host)) {
    throw new PortolanError(
      'CONFIG_INVALID',
      `temporal.address: ${options.address} is not on this machine; the embedded server has no password`,
      { hint: 'Use 127.0.0.1, or run your own Temporal server and portolan worker.' },
    );
  }
  const [freePort = 0] = await freePorts(1);
  const port = asked || freePort;
  return {
    cli: options.cli,
    address: `${host}:${port}`,
    host,
    port,
    namespace: options.namespace ?? 'default',
    logFile: path.resolve(options.logFile),
    ui: options.ui ? await hiddenAddress() : undefined,
    database: options.database && path.resolve(options.database),
  };
}

/** Waits for the first answer and makes the namespace as runs need it. */
async function prepare(settings: ServerSettings, server: ServerProcess): Promise<void> {
  const { address, namespace } = settings;
  let dead = false;
  void server.gone.then(() => (dead = true));
  const failed = (cause?: unknown) =>
    new PortolanError(
      'TEMPORAL_UNREACHABLE',
      `Temporal does not start: ${lastWords(settings.logFile)}`,
      {},
      { cause },
    );
  for (const deadline = Date.now() + START_LIMIT_MS; ; await sleep(20)) {
    if (dead || Date.now() > deadline) throw failed();
    if (!(await answersAt(settings))) continue;
    const connected = await connectTemporal({ address }, namespace).catch(() => undefined);
    if (connected === undefined) continue;
    try {
      await connected.connection.workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: { seconds: RETENTION_S as never, nanos: 0 } },
      });
      await registerSearchAttributes(connected.connection, namespace);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw failed(error);
    } finally {
      await connected.connection.close();
    }
  }
}

interface ServerProcess {
  readonly pid: number;
  /** Settles when it has ended. */
  readonly gone: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Dynamic configuration that a server on one machine needs to be quick: without the first, each step of a workflow
 * waits for a queue reader limited to 20 rounds a second; without the second, timers are only good to a second.
 */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxTimeShift="10ms"',
];

/**
 * Speeds up an in-memory server: one partition per queue (a database may hold tasks in the others), and eager
 * activities.
 */
const inMemoryConfig = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
];

/**
 * Closes what a web page could reach: no Host header holds a line break, so the HTTP API answers 403. Nexus ignores
 * that list and is off; so is the version check, which connects to Temporal's makers.
 */
export const closedConfig = [
  'frontend.httpAllowedHosts=["\\n"]',
  'system.enableNexus=false',
  'frontend.enableServerVersionCheck=false',
];

/** Only the owner may read the server's files. */
const SERVER_UMASK = 0o077;
const LOG_MODE = 0o600;

const STOP_LIMIT_MS = 10_000;

/**
 * Kills the server when its standard input ends, which also happens when we are killed: a new `up` finds database and
 * port free.
 */
const lifeline = 'exec 3<&0 </dev/null; { read line <&3; kill -9 0; } & exec "$@" 3<&-';

function serverArguments({ host, port, ui, database, namespace }: ServerSettings): string[] {
  return [
    'server',
    'start-dev',
    ...['--ip', listenHost(host), '--port', String(port)],
    ...(ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
    ...(database === undefined ? [] : ['--db-filename', database]),
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...Object.values(searchAttributeNames).flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...[...dynamicConfig, ...closedConfig, ...(database === undefined ? inMemoryConfig : [])].flatMap(
      (value) => ['--dynamic-config-value', value],
    ),
  ];
}

/**
 * Starts a server that ends when this process does, even by SIGKILL. It has a process group of its own, so that Ctrl-C
 * reaches us first and we end it in the right order.
 */
function spawnServer(settings: ServerSettings): ServerProcess {
  const log = openSync(settings.logFile, 'a', LOG_MODE);
  let child: ChildProcess;
  const umask = process.umask(SERVER_UMASK);
  try {
    child = spawn('sh', ['-c', lifeline, 'sh', settings.cli, ...serverArguments(settings)], {
      detached: true,
      stdio: ['pipe', log, log],
      env: childEnvironment('server'),
    });
  } finally {
    process.umask(umask);
    closeSync(log);
  }
  child.unref();
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      killGroup(child);
      resolve();
    };
    child.once('exit', end).once('error', end);
  });
  return {
    pid: child.pid ?? 0,
    gone,
    async stop() {
      child.ref();
      // A server that holds nothing on disk needs no orderly end, which takes 1.5 s.
      if (settings.database === undefined) killGroup(child);
      else child.kill('SIGTERM');
      const late = setTimeout(() => killGroup(child), STOP_LIMIT_MS);
      await gone;
      clearTimeout(late);
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The last lines of its log, for the message that says why it did not start. */
const lastWords = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-3).join(' | ').slice(-500);
