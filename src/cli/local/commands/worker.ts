import { Command } from '@commander-js/extra-typings';
import type { Logger } from 'pino';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { nameIn } from '../../../model/run/worker-view';
import { bad, type Block, notice } from '../../../model/text/sheet';
import { secondWords } from '../../../model/text/words';
import { lackingWords } from '../../../service/run/compatible-workers';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { examples } from '../../terminal/help';

/** `portolan worker`: runs until it is stopped. */
export const workerCommand = () =>
  new Command('worker')
    .description(
      'Run a worker until Ctrl-C.\n\nIt polls the task queue temporal.taskQueue (workflows, activities) and its transfer queue. On SIGTERM or Ctrl-C, activities get 5 s before they are cancelled, and the worker stops within 30 s. Other workers continue them.',
    )
    .addHelpText(...examples('', '--config rehearsal.yaml'))
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { runReloadingWorker } = await import('../../../reloading-worker.js');
        const worker = await runReloadingWorker(config, {
          onEvent: (event) => output.note(event),
          logger: output.terminal.stderr.isTTY ? await logForPeople(output) : undefined,
        });
        const interrupted = untilInterrupted();
        const { address, namespace, taskQueue } = config.temporal;
        output.note(
          `worker ${nameIn(worker.identity)} polls "${taskQueue}" at ${address} (${namespace}); Ctrl-C stops it`,
        );
        if (worker.build !== undefined)
          output.note(`worker version ${worker.build} of deployment "${config.temporal.worker.deployment}"`);
        for (const line of lackingWords(worker.view)) output.note(line);
        await Promise.race([interrupted, worker.stopped]);
        await worker.stop();
        return exitStatus.done;
      }),
    );

/** Log for a terminal; elsewhere the log has one line of JSON per event. */
async function logForPeople(output: Output): Promise<Logger> {
  const { createWorkerLog } = await import('../../../temporal/worker-log.js');
  const write = (json: string): void => {
    const line = workerLine(json);
    if (line) output.note([line]);
  };
  return createWorkerLog({ destination: { write } });
}

/** The fields of a log line that people read. */
interface LogLine {
  readonly level?: number;
  readonly time?: string;
  readonly msg?: string;
  readonly workflowId?: string;
  readonly activityType?: string;
  readonly attempt?: number;
  readonly err?: LoggedError;
  readonly error?: LoggedError;
}

interface LoggedError {
  readonly message?: string;
  readonly cause?: LoggedError;
}

/** Messages the SDK logs at every start and stop. */
const routine = /^(Worker state changed|No (Nexus services|workflows) registered)/;

/** A JSON line of a worker's log as time, message, run and cause; undefined for what is routine. */
export function workerLine(json: string): Block | undefined {
  const { level = 0, time, msg = '', workflowId, activityType, attempt = 1, ...line } = lineOf(json);
  if (routine.test(msg)) return undefined;
  const about = [activityType, attempt > 1 ? `attempt ${attempt}` : undefined, workflowId]
    .filter((each) => each !== undefined)
    .join(', ');
  const causes = new Set<string>();
  for (let each = line.err ?? line.error; each; each = each.cause) causes.add(each.message ?? '?');
  const parts = [msg, ...(about === '' ? [] : [`(${about})`]), ...[...causes].map((cause) => `<- ${cause}`)];
  const text = parts.join(' ');
  const told = level >= 50 ? bad(text) : level >= 40 ? notice(text) : text;
  return { facts: [[time === undefined ? '' : secondWords(time), told]] };
}

function lineOf(json: string): LogLine {
  try {
    return JSON.parse(json) as LogLine;
  } catch {
    return { msg: json };
  }
}
