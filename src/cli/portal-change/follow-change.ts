import { setTimeout as sleep } from 'node:timers/promises';
import { exitStatus } from '../../model/errors/error-codes';
import { shortRunId } from '../../model/run/run-id';
import type { Output } from '../terminal/output';
import type { ChangeView } from './change-view';
import { readChange } from './read-change';
import { changeEnding } from './render/change';
import type { RunSources } from '../run/run-sources';
import { exitStatusOf } from '../run/run-view';

/** Often enough to look alive, seldom enough to be no load. @format milliseconds */
const LOOK_EVERY_MS = 200;

/**
 * Waits until a change has ended and prints how it did. Returns the exit status.
 * @param timeoutMs ends the waiting, never the change
 */
export async function followChange(
  sources: RunSources,
  runId: string,
  output: Output,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<number> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort('interrupted');
  process.on('SIGINT', interrupt);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop.abort('timeout'), timeoutMs);
  try {
    const view = await untilOver(sources, runId, stop.signal, output);
    const { record } = view;
    if (view.open) {
      const timedOut = stop.signal.reason === 'timeout';
      const said = timedOut ? 'The wait is over' : 'Stopped watching';
      output.note(`${said}; it goes on.\nwatch    portolan run watch ${shortRunId(runId)}`);
      if (output.format !== 'table') output.show(record, () => '');
      return timedOut ? exitStatus.waitTimedOut : exitStatus.stoppedWaiting;
    }
    const status = exitStatusOf(record);
    output.show(record, (style) => changeEnding(record, style, status));
    return status;
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt);
  }
}

async function untilOver(
  sources: RunSources,
  runId: string,
  signal: AbortSignal,
  output: Output,
): Promise<ChangeView> {
  let seen = '';
  for (;;) {
    const view = await readChange(sources, runId);
    const step = view.record.phases.findLast(({ status }) => status !== 'pending');
    const now = `${step?.name} ${step?.status}`;
    if (step && now !== seen)
      output.event({ event: 'phase', runId, status: view.record.status, phase: step });
    seen = now;
    if (!view.open || signal.aborted) return view;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
