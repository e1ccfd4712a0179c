import type { FastifyBaseLogger } from 'fastify';
import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { openStore } from '../../../store/open-store';
import { nameIn } from '../../../model/run/worker-view';
import { lackingWords } from '../../../service/run/compatible-workers';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { labelled } from '../../terminal/columns';
import { PortolanError } from '../../../model/errors/errors';
import { isLoopback } from '../../../model/identity';
import { readUp, removeUp, writeUp } from '../../../temporal/dev-server/up-file';
import { openState, stateFile } from '../up-state';

/** `portolan up`: a local Temporal server, a worker, the API and web UI. */
export const upCommand = () =>
  new Command('up')
    .description(
      'Start Temporal, a worker and the web UI on this machine.\n\nRuns until Ctrl-C, or in the background with --detach. Temporal listens at temporal.address, the web UI and API at serve.address.',
    )
    .option('--ui', "Also start Temporal's Web UI")
    .option('--no-page', 'Do not start the web UI and API')
    .option('--detach', "Run in the background until 'portolan down'")
    .action((options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        if (options.detach) return await upDetached(config, options, output);
        await up(config, options, output);
        return exitStatus.done;
      }),
    );

/** Parts to start. */
interface With {
  readonly ui?: true | undefined;
  readonly page: boolean;
}

interface Page {
  readonly url?: string;
  /** Address, or why there is none. */
  readonly words: string;
  close(): Promise<void>;
}

/** Starts `up` in the background, unless it is running already. */
async function upDetached(config: Config, { ui, page }: With, output: Output): Promise<number> {
  const { startDetached } = await import('../detached.js');
  const { state, address } = config.temporal;
  const wasUp = (await readUp(state)) !== undefined;
  if (!wasUp) {
    output.note(output.side.colors.dim('starting Temporal, a worker and the web UI'));
    const failed = await startDetached(config, [
      ...['--config', config.path],
      ...(ui ? ['--ui'] : []),
      ...(page ? [] : ['--no-page']),
    ]);
    if (failed) {
      output.note(failed.text.trimEnd());
      return failed.status;
    }
  }
  const up = await readUp(state);
  const log = stateFile(config, 'upLog');
  output.show({ pid: up?.pid, address, page: up?.page, ui: up?.ui, log, wasUp }, (style) =>
    [
      `${wasUp ? 'already running' : 'running'} as process ${up?.pid}`,
      ...labelled(
        [
          ['temporal', address],
          ['page', up?.page ?? 'none'],
          ...uiRow(up?.ui),
          ['log', log],
          ['stop', 'portolan down'],
        ],
        style,
      ),
    ].join('\n'),
  );
  return exitStatus.done;
}

/** Its row, if Temporal's Web UI runs. */
const uiRow = (ui: string | undefined): [string, string][] => (ui === undefined ? [] : [['ui', ui]]);

/** Starts API and web UI. If their address is in use, for example by another `up`, `up` runs without them. */
async function openPage({ serve, ...config }: Config, logger: FastifyBaseLogger): Promise<Page> {
  const isHere = isLoopback(serve.address.replace(/:\d+$/, ''));
  if (!isHere && serve.keys.size === 0 && !serve.signIn)
    return noPage('none: serve.address is reachable by others, and serve has no keys and no sign-in');
  // Open only on loopback, and only if nothing is configured about access.
  const isSaid = serve.keys.size > 0 || serve.signIn !== undefined || serve.url !== undefined;
  const open = serve.open || (isHere && !isSaid);
  if (!open && serve.keys.size === 0 && !serve.signIn)
    return noPage('none: serve has no keys and no sign-in');
  try {
    const { startServer } = await import('../../../serve/server.js');
    const server = await startServer({ ...config, serve: { ...serve, open } }, logger);
    return { url: server.url, words: server.url, close: () => server.close() };
  } catch (thrown) {
    const { plainMessage, hint } = PortolanError.from(thrown);
    return noPage(`none: ${plainMessage}. ${hint}`);
  }
}

const noPage = (words: string): Page => ({ words, close: () => Promise.resolve() });

async function up(config: Config, { ui, page: hasPage }: With, output: Output): Promise<void> {
  const interrupted = untilInterrupted();
  const [
    { findTemporalCli },
    { startTemporalServer },
    { runReloadingWorker },
    { createWorkerLog, logFile },
    { sayReady },
  ] = await Promise.all([
    import('../../../temporal/dev-server/temporal-cli.js'),
    import('../../../temporal/dev-server/temporal-server.js'),
    import('../../../reloading-worker.js'),
    import('../../../temporal/worker-log.js'),
    import('../detached.js'),
  ]);
  const { address, namespace, taskQueue, state } = config.temporal;
  const database = stateFile(config, 'database');
  const running = await readUp(state);
  if (running)
    throw new PortolanError('ADDRESS_IN_USE', `Process ${running.pid} already runs Temporal on ${database}`);
  const cli = await findTemporalCli({ onSlowStep: (what) => output.note(what) });
  await openState(config);
  const server = await startTemporalServer({
    cli: cli.path,
    address,
    namespace,
    ui: ui ?? false,
    database,
    logFile: stateFile(config, 'serverLog'),
    onEvent: (event) => output.note(event),
  });
  try {
    await writeUp(state, { ui: server.uiUrl });
    const log = stateFile(config, 'workerLog');
    const logger = createWorkerLog({ destination: logFile(log) });
    const worker = await runReloadingWorker(config, { logger, onEvent: (event) => output.note(event) });
    const page = hasPage ? await openPage(config, logger) : noPage('none');
    await writeUp(state, { ui: server.uiUrl, page: page.url });
    output.note(
      [
        ...labelled(
          [
            ['config', config.path],
            ['temporal', `${server.address}, namespace ${namespace}`],
            ['cli', `${cli.path} (${cli.source})`],
            ['state', database],
            ['log', log],
            ['store', openStore(config).where],
            ['worker', `${nameIn(worker.identity)} polls "${taskQueue}"`],
            ...uiRow(server.uiUrl),
            ['page', page.words],
          ],
          output.side,
          11,
        ),
        ...lackingWords(worker.view),
        'ready; Ctrl-C stops the worker, then Temporal. Runs continue at the next start.',
      ].join('\n'),
    );
    sayReady();
    // In the other order the worker would log errors about its missing server.
    await Promise.race([interrupted, worker.stopped]);
    output.note('stopping the worker, then Temporal');
    await page.close();
    await worker.stop();
  } finally {
    await server.stop();
    await removeUp(state);
  }
}
