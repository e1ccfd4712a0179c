import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { type Address, listenHost } from './address';
import { childEnvironment } from './child-environment';
import { type ProcessIdentity, identify, isAlive, signalProcess } from './server-state';

/** What one server process is started with; everything is decided here. */
export interface ServerSettings {
  readonly cli: string;
  readonly host: string;
  readonly port: number;
  /** Where the Web UI itself listens; `undefined`: no Web UI. */
  readonly ui?: Address;
  /** SQLite file; in memory where it is left out. */
  readonly database?: string;
  readonly namespace: string;
  readonly logFile: string;
  /** The server ends with this process however that ends, instead of living on as an orphan to be taken over. */
  readonly endsWithUs: boolean;
}

/** A running server: a child process, or an orphan that was taken over. */
export interface ServerProcess {
  readonly identity: ProcessIdentity;
  /** Settles when it is gone. */
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
 * What spares a server in memory, as tests and the demo have it, a good part of its work. One partition of a task queue
 * instead of four: polls and tasks of one machine need not look for each other; in a file, tasks that an earlier server
 * left in another partition would not be read. And activities that come along with the answer to the task that
 * schedules them, which servers leave off unless told otherwise.
 */
const inMemoryConfig = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
];

/**
 * What closes the ways into the server that a web page could take, and the one out of it. No Host header matches the
 * list of the HTTP API, since none holds a line break: each call is answered 403. The routes of Nexus, beside that API
 * and not bound by its list, are off. The server's own look for newer versions would be a connection to its maker.
 */
export const closedConfig = [
  'frontend.httpAllowedHosts=["\\n"]',
  'system.enableNexus=false',
  'frontend.enableServerVersionCheck=false',
];

/** What the server makes, its database among it, is for its owner alone. */
const SERVER_UMASK = 0o077;
const LOG_MODE = 0o600;

const STOP_LIMIT_MS = 10_000;
const ORPHAN_LOOK_MS = 250;

/** Ends the server when our end of the pipe on its standard input closes, which also happens when we are killed. */
const lifeline =
  'exec 3<&0; "$@" 3<&- </dev/null & server=$!; { cat <&3 >/dev/null; kill $server; } & wait $server; kill -9 0';

export function serverArguments(settings: ServerSettings): string[] {
  const { host, port, ui, database, namespace } = settings;
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

/** Starts a server in a process group of its own, so that Ctrl-C reaches us first and we end it in the right order. */
export async function spawnServer(settings: ServerSettings): Promise<ServerProcess> {
  const log = openSync(settings.logFile, 'a', LOG_MODE);
  const command = [settings.cli, ...serverArguments(settings)];
  const [file, args] = settings.endsWithUs
    ? ['sh', ['-c', lifeline, 'sh', ...command]]
    : [command[0]!, command.slice(1)];
  let child: ChildProcess;
  const umask = process.umask(SERVER_UMASK);
  try {
    child = spawn(file, args, {
      detached: true,
      stdio: [settings.endsWithUs ? 'pipe' : 'ignore', log, log],
      env: childEnvironment('server'),
    });
  } finally {
    process.umask(umask);
    closeSync(log);
  }
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject)).catch(
    (error: unknown) => {
      throw new PortolanError(
        'TEMPORAL_CLI_MISSING',
        `${settings.cli} cannot be started`,
        {},
        { cause: error },
      );
    },
  );
  child.unref();
  const pid = child.pid!;
  const gone = new Promise<void>((resolve) =>
    child.once('exit', () => {
      signalProcess(-pid, 'SIGKILL');
      resolve();
    }),
  );
  // One that holds nothing on disk needs no orderly end, which takes 1.5 s.
  const inMemory = settings.database === undefined;
  const ask = () => {
    if (inMemory) signalProcess(-pid, 'SIGKILL');
    else if (child.stdin === null) signalProcess(-pid, 'SIGTERM');
    else child.stdin.end();
  };
  return { identity: identify(pid) ?? { pid, mark: '' }, gone, stop: () => endGroup(pid, gone, ask) };
}

/** A server left running by an earlier process. */
export function adoptServer(identity: ProcessIdentity): ServerProcess {
  const gone = (async () => {
    while (isAlive(identity)) await sleep(ORPHAN_LOOK_MS, undefined, { ref: false });
  })();
  return {
    identity,
    gone,
    stop: () => endGroup(identity.pid, gone, () => signalProcess(-identity.pid, 'SIGTERM')),
  };
}

async function endGroup(pid: number, gone: Promise<void>, ask: () => void): Promise<void> {
  ask();
  const late = new AbortController();
  await Promise.race([gone, sleep(STOP_LIMIT_MS, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  signalProcess(-pid, 'SIGKILL');
  await gone;
}

/** The last lines of its log, for the message that says why it did not start. */
export const lastWords = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-3).join(' | ').slice(-500);
