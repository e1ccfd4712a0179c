import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { isLoopback } from '../../../model/identity';
import { nameIn } from '../../../model/run/worker-view';
import { faint } from '../../../model/text/sheet';
import type { RunningServer } from '../../../serve/server';
import { lackingWords } from '../../../service/run/compatible-workers';
import { openStore } from '../../../store/open-store';
import { readUp, removeUp, writeUp } from '../../../temporal/dev-server/up-file';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { examples } from '../../terminal/help';

/** Environment variable that makes `up` report to its parent process. */
const DETACHED = 'PORTOLAN_UP_DETACHED';

/** `portolan up`: a local Temporal server, a worker, the API and web UI. */
export const upCommand = () =>
  new Command('up')
    .description(
      'Start Temporal, a worker and the web UI on this machine.\n\nRuns until Ctrl-C, or in the background with --detach. Temporal listens at temporal.address, the web UI and API at serve.address.',
    )
    .addHelpText(...examples('', '--detach --config rehearsal.yaml'))
    .option('--ui', "Also start Temporal's Web UI")
    .option('--no-page', 'Do not start the web UI and API')
    .option('--detach', "Run in the background until 'portolan down'")
    .action((options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        return await (options.detach ? upDetached : up)(config, options, output);
      }),
    );

/** Parts to start. */
interface Parts {
  readonly ui?: boolean;
  readonly page: boolean;
}

/** Starts `up` in the background, unless it is running already. */
async function upDetached(config: Config, { ui, page }: Parts, output: Output): Promise<number> {
  const { state, address } = config.temporal;
  const log = path.join(state, 'up.log');
  const wasUp = (await readUp(state)) !== undefined;
  if (!wasUp) {
    output.note([{ lines: [faint('starting Temporal, a worker and the web UI')] }]);
    await openState(state);
    const options = [...(ui ? ['--ui'] : []), ...(page ? [] : ['--no-page'])];
    const failed = await startDetached(['up', '--config', config.path, ...options], log);
    if (failed) {
      output.note(failed.text.trimEnd());
      return failed.status;
    }
  }
  const running = await readUp(state);
  const { pid } = running ?? {};
  output.show({ pid, address, page: running?.page, ui: running?.ui, log, wasUp }, () => [
    {
      title: `${wasUp ? 'already running' : 'running'} as process ${pid}`,
      facts: [
        ['temporal', address],
        ['page', running?.page ?? 'none'],
        ['ui', running?.ui],
        ['log', log],
        ['stop', 'portolan down'],
      ],
    },
  ]);
  return exitStatus.done;
}

/**
 * Starts a command as a process that outlives this one and inherits its environment, including secrets. Waits until it
 * is ready, or returns its status and what it printed.
 */
async function startDetached(
  words: readonly string[],
  log: string,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  const file = openSync(log, 'a', 0o600);
  const { size } = statSync(log);
  const [, starter = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, starter, ...words], {
    detached: true,
    env: { ...process.env, [DETACHED]: '1' },
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  const failed = await Promise.race([
    once(child, 'message').then(() => undefined),
    once(child, 'exit').then(([status]) => ({
      status: (status as number | null) ?? exitStatus.failed,
      text: readFileSync(log).subarray(size).toString(),
    })),
  ]);
  if (child.connected) child.disconnect();
  child.unref();
  return failed;
}

/** Creates the state folder, readable only by its owner. Throws `CONFIG_INVALID` if that fails. */
async function openState(state: string): Promise<void> {
  try {
    await mkdir(state, { recursive: true, mode: 0o700 });
    // The folder may have been there.
    await chmod(state, 0o700);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === undefined) throw thrown;
    throw new PortolanError('CONFIG_INVALID', `temporal.state: ${state} cannot be used (${code}).`, {
      hint: 'Choose a folder this account can create and write to.',
    });
  }
}

/** Starts API and web UI, or says why not. If their address is in use, for example by another `up`, `up` runs without them. */
async function openPage(
  { serve, ...config }: Config,
  logger: FastifyBaseLogger,
): Promise<RunningServer | string> {
  const isHere = isLoopback(serve.address.replace(/:\d+$/, ''));
  const hasAccess = serve.keys.size > 0 || serve.signIn !== undefined;
  if (!isHere && !hasAccess)
    return 'none: serve.address is reachable by others, and serve has no keys and no sign-in';
  // Open only on loopback, and only if nothing is configured about access.
  const open = serve.open || (isHere && !hasAccess && serve.url === undefined);
  if (!open && !hasAccess) return 'none: serve has no keys and no sign-in';
  try {
    const { startServer } = await import('../../../serve/server.js');
    return await startServer({ ...config, serve: { ...serve, open } }, logger);
  } catch (thrown) {
    const { plainMessage, hint } = PortolanError.from(thrown);
    return `none: ${plainMessage}. ${hint}`;
  }
}

async function up(config: Config, { ui, page: hasPage }: Parts, output: Output): Promise<number> {
  const interrupted = untilInterrupted();
  const [{ findTemporalCli }, { startTemporalServer }, { runReloadingWorker }, { createWorkerLog, logFile }] =
    await Promise.all([
      import('../../../temporal/dev-server/temporal-cli.js'),
      import('../../../temporal/dev-server/temporal-server.js'),
      import('../../../reloading-worker.js'),
      import('../../../temporal/worker-log.js'),
    ]);
  const onEvent = (event: string): void => output.note(event);
  const { address, namespace, taskQueue, state } = config.temporal;
  const database = path.join(state, 'temporal.sqlite');
  const running = await readUp(state);
  if (running)
    throw new PortolanError('ADDRESS_IN_USE', `Process ${running.pid} already runs Temporal on ${database}`);
  const cli = await findTemporalCli({ onSlowStep: onEvent });
  await openState(state);
  const serverLog = path.join(state, 'temporal.log');
  const server = await startTemporalServer({
    cli: cli.path,
    address,
    namespace,
    ui: ui === true,
    database,
    logFile: serverLog,
    onEvent,
  });
  try {
    await writeUp(state, { ui: server.uiUrl });
    const log = path.join(state, 'worker.log');
    const logger = createWorkerLog({ destination: logFile(log) });
    const worker = await runReloadingWorker(config, { logger, onEvent });
    const page = hasPage ? await openPage(config, logger) : 'none';
    const pageUrl = typeof page === 'string' ? undefined : page.url;
    await writeUp(state, { ui: server.uiUrl, page: pageUrl });
    const ready = 'ready; Ctrl-C stops the worker, then Temporal. Runs continue at the next start.';
    output.note([
      {
        facts: [
          ['config', config.path],
          ['temporal', `${server.address}, namespace ${namespace}`],
          ['cli', `${cli.path} (${cli.source})`],
          ['state', database],
          ['log', log],
          ['store', openStore(config).where],
          ['worker', `${nameIn(worker.identity)} polls "${taskQueue}"`],
          ['ui', server.uiUrl],
          ['page', typeof page === 'string' ? page : page.url],
        ],
      },
      { lines: [...lackingWords(worker.view), ready] },
    ]);
    if (process.env[DETACHED] !== undefined) {
      process.send?.('ready');
      process.disconnect?.();
    }
    // In the other order the worker would log errors about its missing server.
    await Promise.race([interrupted, worker.stopped]);
    output.note('stopping the worker, then Temporal');
    if (typeof page !== 'string') await page.close();
    await worker.stop();
  } finally {
    await server.stop();
    await removeUp(state);
  }
  return exitStatus.done;
}
