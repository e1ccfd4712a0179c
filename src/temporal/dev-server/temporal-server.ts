import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PortolanError } from '../../model/errors/errors';
import { isLoopback } from '../../model/address/loopback';
import { type Address, answersAt, freePorts, hiddenAddress, parseAddress } from './address';
import { type TemporalClient, connectTemporal } from '../connection';
import { identify, isAlive, readLivingServer, removeServerState, writeServerState } from './server-state';
import { openWebUi } from './web-ui';
import { registerSearchAttributes } from '../search-attributes';
import {
  type ServerProcess,
  type ServerSettings,
  adoptServer,
  lastWords,
  serverArguments,
  spawnServer,
} from './server-process';

const DAY_S = 24 * 60 * 60;
const START_LIMIT_MS = 60_000;
const UI_PORT_OFFSET = 1_000;
/** State is for its owner alone. */
const FOLDER_MODE = 0o700;
const FIRST_RESTART_DELAY_MS = 100;
const LONGEST_RESTART_DELAY_MS = 5_000;

export interface TemporalServerOptions {
  /** Path of the Temporal CLI. */
  readonly cli: string;
  /** `host:port`, loopback only; port 0 takes a free one. */
  readonly address: string;
  /** @default true: on the port + 1000, or on a free one where the port was 0; for its own pages only */
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
  /** Reports events of the server: taken over, died, restarted. */
  readonly onEvent?: (event: string) => void;
}

export interface TemporalServer {
  /** `host:port` */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl?: string;
  /** Whether an earlier process had left it running. */
  readonly tookOver: boolean;
  /** Process id of the server that runs now. */
  pid(): number;
  /** Stops it. Workers must be stopped first. */
  stop(): Promise<void>;
}

/**
 * Starts Temporal's development server on this machine, waits until it answers, and keeps it alive: where it has a
 * database it is started again on the same file when it dies.
 * @throws PortolanError `CONFIG_INVALID` (not loopback), `ADDRESS_IN_USE`, `TEMPORAL_UNREACHABLE` (does not start)
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const { desired, uiAt } = await settle(options);
  const onEvent = options.onEvent ?? (() => {});
  for (const file of [desired.logFile, desired.database]) {
    if (file !== undefined) await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
  }
  const { settings, orphan } = await takeOver(desired, onEvent);
  const address = `${settings.host}:${settings.port}`;
  if (orphan === undefined && (await answersAt(settings))) {
    throw new PortolanError('ADDRESS_IN_USE', `Another program already listens at ${address}`);
  }
  const ui = uiAt && settings.ui && (await openWebUi(uiAt, settings.ui));
  try {
    const server = await keepServer(settings, orphan, options.retentionDays ?? 90, onEvent);
    return {
      address,
      namespace: settings.namespace,
      ...(ui && { uiUrl: ui.url }),
      tookOver: orphan !== undefined,
      pid: server.pid,
      async stop() {
        await ui?.close();
        await server.stop();
      },
    };
  } catch (error) {
    await ui?.close();
    throw error;
  }
}

/** Starts the server or takes over an orphan, and restarts it when it dies. */
async function keepServer(
  settings: ServerSettings,
  orphan: ServerProcess | undefined,
  retentionDays: number,
  onEvent: (event: string) => void,
): Promise<Pick<TemporalServer, 'pid' | 'stop'>> {
  let current = orphan ?? (await spawnServer(settings));
  let stopping = false;
  await remember(settings, current);

  const bringUp = async (server: ServerProcess): Promise<void> => {
    const { connection } = await whenReady(settings, server, retentionDays);
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
        return onEvent('Temporal died and cannot be restarted: it has no database');
      onEvent('Temporal died; restarting it with the same database');
      try {
        current = await spawnServer(settings);
        await remember(settings, current);
        await bringUp(current);
        onEvent('Temporal is running again');
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
    pid: () => current.identity.pid,
    async stop() {
      stopping = true;
      await current.stop();
      await keeper;
      if (settings.database !== undefined) await removeServerState(settings.database);
    },
  };
}

/** What to run, and the address of its Web UI. */
async function settle(
  options: TemporalServerOptions,
): Promise<{ desired: ServerSettings; uiAt: Address | undefined }> {
  const { host, port: askedPort } = parseAddress(options.address);
  if (!isLoopback(host)) {
    throw new PortolanError(
      'CONFIG_INVALID',
      `temporal.address: ${options.address} is not on this machine; the embedded server has no password`,
      { hint: 'Use 127.0.0.1, or run your own Temporal server and portolan worker.' },
    );
  }
  const [freePort = 0, freeUiPort = 0] = await freePorts(2);
  const desired: ServerSettings = {
    cli: options.cli,
    host,
    port: askedPort || freePort,
    namespace: options.namespace ?? 'default',
    logFile: path.resolve(options.logFile),
    endsWithUs: options.endsWithUs ?? false,
    ...(options.ui !== false && { ui: await hiddenAddress() }),
    ...(options.database !== undefined && { database: path.resolve(options.database) }),
  };
  const uiPort = askedPort === 0 ? freeUiPort : askedPort + UI_PORT_OFFSET;
  return { desired, uiAt: desired.ui && { host, port: uiPort } };
}

/**
 * Takes a server of ours that lost its owner, with its Web UI where it is. One that was started otherwise, on another
 * port or by a version that left more of it open, is ended: it would share the database with us.
 */
async function takeOver(
  desired: ServerSettings,
  onEvent: (event: string) => void,
): Promise<{ settings: ServerSettings; orphan?: ServerProcess }> {
  if (desired.database === undefined) return { settings: desired };
  const left = await readLivingServer(desired.database);
  if (left === undefined) return { settings: desired };
  if (left.owner.pid !== process.pid && isAlive(left.owner)) {
    throw new PortolanError(
      'ADDRESS_IN_USE',
      `Process ${left.owner.pid} already runs Temporal on ${desired.database}`,
    );
  }
  const orphan = adoptServer(left.server);
  const settings = desired.ui && left.ui ? { ...desired, ui: left.ui } : desired;
  if (isDeepStrictEqual(left.arguments, serverArguments(settings))) {
    onEvent(`Took over the running Temporal server (process ${left.server.pid})`);
    return { settings, orphan };
  }
  await orphan.stop();
  return { settings: desired };
}

async function remember(settings: ServerSettings, server: ServerProcess): Promise<void> {
  if (settings.database === undefined) return;
  const { port, ui } = settings;
  const owner = identify(process.pid) ?? { pid: process.pid, mark: '' };
  await writeServerState(settings.database, {
    ...{ server: server.identity, owner, port, arguments: serverArguments(settings) },
    ...(ui && { ui }),
  });
}

/** Waits for the first response and creates the namespace. */
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
