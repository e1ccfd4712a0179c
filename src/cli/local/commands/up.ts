import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { closeToOthers, closeWhereOnly } from '../../../secrets/closed-folder';
import { openStore } from '../../../store/open-store';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { labelled } from '../../terminal/words';

/** `portolan up`: a Temporal server of our own, its Web UI, and a worker. */
export const upCommand = () =>
  new Command('up')
    .summary('Temporal on this machine, and a worker')
    .description(
      'Starts a Temporal server on temporal.address of portolan.yaml (this machine only), its Web UI on the port + 1000, and a worker, until Ctrl-C. State is kept on disk; runs go on at the next start.',
    )
    .option('--no-ui', 'without the Web UI')
    .action((options, command) =>
      perform(command, async (output, globals) => {
        await up(loadConfig(globals.config), options.ui, output);
        return exitStatus.done;
      }),
    );

/** What `up` keeps in `temporal.state`. */
const stateFiles = {
  database: 'temporal.sqlite',
  serverLog: 'temporal.log',
  workerLog: 'worker.log',
} as const;

async function up(config: Config, ui: boolean, output: Output): Promise<void> {
  const interrupted = untilInterrupted();
  const [{ findTemporalCli }, { startTemporalServer }, { runWorker }, { createWorkerLog, logFile }] =
    await Promise.all([
      import('../../../temporal/dev-server/temporal-cli.js'),
      import('../../../temporal/dev-server/temporal-server.js'),
      import('../../../worker.js'),
      import('../../../temporal/worker-log.js'),
    ]);
  const { address, namespace, state, taskQueue } = config.temporal;
  const cli = await findTemporalCli({ onSlowStep: (what) => output.note(what) });
  await closeState(config);
  const database = path.join(state, stateFiles.database);
  const server = await startTemporalServer({
    cli: cli.path,
    address,
    namespace,
    ui,
    database,
    logFile: path.join(state, stateFiles.serverLog),
    onEvent: (event) => output.note(event),
  });
  try {
    const log = path.join(state, stateFiles.workerLog);
    const worker = await runWorker(config, { logger: createWorkerLog({ destination: logFile(log) }) });
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
            ['worker', `${worker.identity} polls "${taskQueue}"`],
            ['ui', server.uiUrl ?? 'none'],
          ],
          output.side,
          11,
        ),
        'ready; Ctrl-C stops the worker, then the server. Runs go on at the next start.',
      ].join('\n'),
    );
    // The other order ends in errors of the worker, which would look for its server for a while.
    await Promise.race([interrupted, worker.stopped]);
    output.note('stopping the worker, then Temporal');
    await worker.stop();
  } finally {
    await server.stop();
  }
}

/** Closes what an earlier version left open to others: the state, and the folder around it where that is ours alone. */
async function closeState({ path: file, temporal: { state }, store }: Config): Promise<void> {
  const files = Object.values(stateFiles);
  await closeToOthers(state, (name) => files.some((each) => name.startsWith(each)));
  const around = path.dirname(state);
  if (!around.startsWith(path.dirname(file) + path.sep)) return;
  const ours = [state, ...(store.type === 'local' ? [store.path, `${store.path}.key`] : [])];
  await closeWhereOnly(around, (name) => ours.includes(path.join(around, name)));
}
