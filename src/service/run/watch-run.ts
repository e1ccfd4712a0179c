import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../model/errors/errors';
import { readRun } from './read-run';
import type { ReadContext } from './run-sources';
import type { RunView } from './run-view';

/** Poll interval. @format milliseconds */
const LOOK_EVERY_MS = 400;

/** Polls that may fail in a row, as while a server restarts. @format milliseconds */
export const LOOK_AGAIN_FOR_MS = 30_000;

/** Views of a run until it ends. Ends early, with the last view, if the signal fires. */
export async function* watchRun(
  sources: ReadContext,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<RunView> {
  let lostAt: number | undefined;
  while (!signal.aborted) {
    try {
      const view = await readRun(sources, runId);
      lostAt = undefined;
      yield view;
      if (!view.open) return;
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      lostAt ??= Date.now();
      if (error.code === 'RUN_NOT_FOUND' || Date.now() - lostAt > LOOK_AGAIN_FOR_MS)
        throw lostServer(sources, error);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

const lostServer = ({ config }: ReadContext, error: PortolanError): PortolanError =>
  error.code === 'INTERNAL'
    ? new PortolanError(
        'TEMPORAL_UNREACHABLE',
        `Temporal at ${config.temporal.address} has not responded for ${LOOK_AGAIN_FOR_MS / 1000} s; the run continues once it is back.`,
        {},
        { cause: error },
      )
    : error;
