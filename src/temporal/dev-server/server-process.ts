import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { type Address, listenHost } from './address';
import { childEnvironment } from './child-environment';

/** What one server process is started with; everything is decided here. */
export interface ServerSettings extends Address {
  readonly cli: string;
  /** Where the Web UI listens; `undefined`: no Web UI. */
  readonly ui?: Address;
  /** SQLite file; in memory if undefined. */
  readonly database?: string;
  readonly namespace: string;
  readonly logFile: string;
}

export interface ServerProcess {
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
export function spawnServer(settings: ServerSettings): ServerProcess {
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
export const lastWords = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-3).join(' | ').slice(-500);
