import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import { type Address, answersAt, freePorts, isLoopback, parseAddress } from './address';
import { type TemporalClient, connectTemporal } from '../connection';
import { identify, isAlive, readLivingServer, removeServerState, writeServerState } from './server-state';
import { registerSearchAttributes } from '../search-attributes';
import {
  type ServerProcess,
  type ServerSettings,
  adoptServer,
  lastWords,
  spawnServer,
} from './server-process';

const DAY_S = 24 * 60 * 60;
const START_LIMIT_MS = 60_000;
const UI_PORT_OFFSET = 1_000;
const FIRST_RESTART_DELAY_MS = 100;
const LONGEST_RESTART_DELAY_MS = 5_000;

export interface TemporalServerOptions {
  /** Path of the Temporal CLI. */
  readonly cli: string;
  /** `host:port`, loopback only; port 0 takes a free one. */
  readonly address: string;
  /** @default true: on the port + 1000, or on a free one where the port was 0 */
  readonly ui?: boolean;
  /** SQLite file that outlives the server; in memory where it is left out. */
  readonly database?: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** How long ended runs stay in Temporal. @default 90 */
  readonly retentionDays?: number;
  /** Takes the server's output. */
  readonly logFile: string;
  /**
   * The server ends when this process does, even by SIGKILL. Otherwise it lives on, and the next start on the same
   * database takes it over.
   * @default false
   */
  readonly endsWithUs?: boolean;
  /** Told in one sentence what happened to the server: taken over, died, is back. */
  readonly onEvent?: (event: string) => void;
}

export interface TemporalServer {
  /** `host:port` */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl?: string;
  /** Whether it was running already, left by an earlier process of ours. */
  readonly tookOver: boolean;
  /** Process id of the server that runs now. */
  pid(): number;
  /** Ends it. Workers have to be gone first. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal's development server on this machine, waits until it answers, and keeps it alive: where it has a
 * database it is started again on the same file when it dies.
 * @throws PortolanError `CONFIG_INVALID` (not loopback), `ADDRESS_IN_USE`, `TEMPORAL_UNREACHABLE` (does not start)
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const { settings, uiUrl } = await settle(options);
  const onEvent = options.onEvent ?? (() => {});
  const address = `${settings.host}:${settings.port}`;
  await mkdir(path.dirname(settings.logFile), { recursive: true });

  const orphan = await takeOver(settings, onEvent);
  if (orphan === undefined && (await answersAt(settings))) {
    throw new PortolanError('ADDRESS_IN_USE', `Something else listens at ${address}`);
  }
  let current = orphan ?? (await spawnServer(settings));
  let stopping = false;
  await remember(settings, current);

  const bringUp = async (server: ServerProcess): Promise<void> => {
    const { connection } = await whenReady(settings, server, options.retentionDays ?? 90);
    await connection.close();
  };
  await bringUp(current).catch(async (error: unknown) => {
    await current.stop();
    throw error;
  });

  const keepAlive = async (): Promise<void> => {
    let delay = FIRST_RESTART_DELAY_MS;
    for (;;) {
      await current.gone;
      if (stopping) return;
      if (settings.database === undefined)
        return onEvent('Temporal died, and had no database to come back on');
      onEvent('Temporal died; starting it again on the same database');
      try {
        current = await spawnServer(settings);
        await remember(settings, current);
        await bringUp(current);
        onEvent('Temporal is back');
        delay = FIRST_RESTART_DELAY_MS;
      } catch (error) {
        onEvent(PortolanError.from(error).message);
        await sleep(delay, undefined, { ref: false });
        delay = Math.min(2 * delay, LONGEST_RESTART_DELAY_MS);
      }
      if (stopping) await current.stop();
    }
  };
  const keeper = keepAlive();

  return {
    address,
    namespace: settings.namespace,
    ...(uiUrl && { uiUrl }),
    tookOver: orphan !== undefined,
    pid: () => current.identity.pid,
    async stop() {
      stopping = true;
      await current.stop();
      await keeper;
      if (settings.database !== undefined) await removeServerState(settings.database);
    },
  };
}

async function settle(options: TemporalServerOptions): Promise<{ settings: ServerSettings; uiUrl?: string }> {
  const desired = parseAddress(options.address);
  if (!isLoopback(desired.host)) {
    throw new PortolanError(
      'CONFIG_INVALID',
      `temporal.address: ${options.address} is not an address of this machine only, and the embedded server asks nobody for a password`,
      { hint: 'Use 127.0.0.1, or run a Temporal server of your own and portolan worker.' },
    );
  }
  const [freePort, freeUiPort] = await freePorts(2);
  const port = desired.port || freePort!;
  const uiPort =
    options.ui === false ? undefined : desired.port === 0 ? freeUiPort! : desired.port + UI_PORT_OFFSET;
  const settings: ServerSettings = {
    cli: options.cli,
    host: desired.host,
    port,
    namespace: options.namespace ?? 'default',
    logFile: path.resolve(options.logFile),
    endsWithUs: options.endsWithUs ?? false,
    ...(uiPort !== undefined && { uiPort }),
    ...(options.database !== undefined && { database: path.resolve(options.database) }),
  };
  if (settings.database !== undefined) await mkdir(path.dirname(settings.database), { recursive: true });
  return uiPort === undefined ? { settings } : { settings, uiUrl: `http://${desired.host}:${uiPort}` };
}

/** Takes a server of ours that lost its owner. On another port it would share the database with us, so it is ended. */
async function takeOver(
  settings: ServerSettings,
  onEvent: (event: string) => void,
): Promise<ServerProcess | undefined> {
  if (settings.database === undefined) return undefined;
  const left = await readLivingServer(settings.database);
  if (left === undefined) return undefined;
  if (left.owner.pid !== process.pid && isAlive(left.owner)) {
    throw new PortolanError(
      'ADDRESS_IN_USE',
      `Process ${left.owner.pid} already runs Temporal on ${settings.database}`,
    );
  }
  const server = adoptServer(left.server);
  if (left.port === settings.port && left.uiPort === settings.uiPort) {
    onEvent(`Took over the Temporal server that was left running (process ${left.server.pid})`);
    return server;
  }
  await server.stop();
  return undefined;
}

async function remember(settings: ServerSettings, server: ServerProcess): Promise<void> {
  if (settings.database === undefined) return;
  const { port, uiPort } = settings;
  const owner = identify(process.pid) ?? { pid: process.pid, mark: '' };
  await writeServerState(settings.database, {
    server: server.identity,
    owner,
    port,
    ...(uiPort && { uiPort }),
  });
}

/** Waits for the first answer and makes the namespace as runs need it. */
async function whenReady(
  settings: ServerSettings & Address,
  server: ServerProcess,
  retentionDays: number,
): Promise<TemporalClient> {
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
        config: { workflowExecutionRetentionTtl: { seconds: (retentionDays * DAY_S) as never, nanos: 0 } },
      });
      await registerSearchAttributes(connected.connection, namespace);
      return connected;
    } catch (error) {
      await connected.connection.close();
      if (Date.now() > deadline) throw failed(error);
    }
  }
}
