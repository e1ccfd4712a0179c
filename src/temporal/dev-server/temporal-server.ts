import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import { isLoopback } from '../../model/address/loopback';
import { answersAt, freePorts, hiddenAddress, parseAddress } from './address';
import { connectTemporal } from '../connection';
import { registerSearchAttributes } from '../search-attributes';
import { type ServerProcess, type ServerSettings, lastWords, spawnServer } from './server-process';

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
  const { database, logFile, namespace, ui } = settings;
  for (const file of [logFile, database]) {
    if (file !== undefined) await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
  }
  const address = `${settings.host}:${settings.port}`;
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
    ...(ui && { uiUrl: `http://${ui.host}:${ui.port}` }),
    pid: () => server.pid,
    async stop() {
      stopping = true;
      await server.stop();
      await keeper;
    },
  };
}

async function settle(options: TemporalServerOptions): Promise<ServerSettings> {
  const { host, port } = parseAddress(options.address);
  if (!isLoopback(host)) {
    throw new PortolanError(
      'CONFIG_INVALID',
      `temporal.address: ${options.address} is not on this machine; the embedded server has no password`,
      { hint: 'Use 127.0.0.1, or run your own Temporal server and portolan worker.' },
    );
  }
  const [freePort = 0] = await freePorts(1);
  return {
    cli: options.cli,
    host,
    port: port || freePort,
    namespace: options.namespace ?? 'default',
    logFile: path.resolve(options.logFile),
    ...(options.ui && { ui: await hiddenAddress() }),
    ...(options.database !== undefined && { database: path.resolve(options.database) }),
  };
}

/** Waits for the first answer and makes the namespace as runs need it. */
async function prepare(settings: ServerSettings, server: ServerProcess): Promise<void> {
  const { namespace } = settings;
  let dead = false;
  void server.gone.then(() => {
    dead = true;
  });
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
    const address = `${settings.host}:${settings.port}`;
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
