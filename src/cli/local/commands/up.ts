import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { openStore } from '../../../store/open-store';
import { nameIn } from '../../../model/run/worker-view';
import { lackingWords } from '../../../service/run/able-workers';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { labelled } from '../../terminal/columns';
import { openState, stateFile } from '../up-state';

/** `portolan up`: a Temporal server of our own, its Web UI, and a worker. */
export const upCommand = () =>
  new Command('up')
    .summary('Temporal on this machine, and a worker')
    .description(
      'Starts a Temporal server on temporal.address of portolan.yaml (this machine only), its Web UI on the port + 1000, and a worker, until Ctrl-C. State is kept on disk; runs go on at the next start.',
    )
    .option('--no-ui', 'without the Web UI')
    .option('--detach', 'returns once it is up, and leaves it running until: portolan down')
    .action((options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        if (options.detach) return await upDetached(config, options.ui, output);
        await up(config, options.ui, output);
        return exitStatus.done;
      }),
    );

/** As a process of its own. Where it is up already, that is said. */
async function upDetached(config: Config, ui: boolean, output: Output): Promise<number> {
  const { runningUp, startDetached } = await import('../detached.js');
  const { isAlive } = await import('../../../temporal/dev-server/server-state.js');
  const running = await runningUp(config);
  const isUp = running !== undefined && isAlive(running.owner);
  const words = ['--config', config.path, ...(ui ? [] : ['--no-ui'])];
  if (!isUp) output.note(output.side.colors.dim('starting Temporal and a worker'));
  const started = isUp ? running.owner : await startDetached(config, words);
  if ('status' in started) {
    output.note(started.words.trimEnd());
    return started.status;
  }
  const log = stateFile(config, 'upLog');
  output.show({ pid: started.pid, address: config.temporal.address, log, wasUp: isUp }, (style) =>
    [
      isUp ? `up already, as process ${started.pid}` : `up, as process ${started.pid}`,
      ...labelled(
        [
          ['temporal', config.temporal.address],
          ['log', log],
          ['end it', 'portolan down'],
        ],
        style,
      ),
    ].join('\n'),
  );
  return exitStatus.done;
}

async function up(config: Config, ui: boolean, output: Output): Promise<void> {
  const interrupted = untilInterrupted();
  const [
    { findTemporalCli },
    { startTemporalServer },
    { keepWorker },
    { createWorkerLog, logFile },
    { sayReady },
  ] = await Promise.all([
    import('../../../temporal/dev-server/temporal-cli.js'),
    import('../../../temporal/dev-server/temporal-server.js'),
    import('../../../kept-worker.js'),
    import('../../../temporal/worker-log.js'),
    import('../detached.js'),
  ]);
  const { address, namespace, taskQueue } = config.temporal;
  const cli = await findTemporalCli({ onSlowStep: (what) => output.note(what) });
  await openState(config);
  const database = stateFile(config, 'database');
  const server = await startTemporalServer({
    cli: cli.path,
    address,
    namespace,
    ui,
    database,
    logFile: stateFile(config, 'serverLog'),
    onEvent: (event) => output.note(event),
  });
  try {
    const log = stateFile(config, 'workerLog');
    const worker = await keepWorker(config, {
      logger: createWorkerLog({ destination: logFile(log) }),
      onEvent: (event) => output.note(event),
    });
    output.note(
      [
        ...labelled(
          [
            ['config', config.path],
            ['temporal', `${server.address}, namespace ${namespace}${server.tookOver ? ', taken over' : ''}`],
            ['cli', `${cli.path} (${cli.source})`],
            ['state', database],
            ['log', log],
            ['store', openStore(config).where],
            ['worker', `${nameIn(worker.identity)} polls "${taskQueue}"`],
            ['ui', server.uiUrl ?? 'none'],
          ],
          output.side,
          11,
        ),
        ...lackingWords(worker.view),
        'ready; Ctrl-C stops the worker, then the server. Runs go on at the next start.',
      ].join('\n'),
    );
    sayReady();
    // The other order ends in errors of the worker, which would look for its server for a while.
    await Promise.race([interrupted, worker.stopped]);
    output.note('stopping the worker, then Temporal');
    await worker.stop();
  } finally {
    await server.stop();
  }
}
