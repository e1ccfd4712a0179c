import type { Reuse } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { countOf } from '../../model/text/words';
import { refusal } from '../run/failure';
import { continueRun, isLong } from '../run/continue';
import { phase, type PhaseEnd } from '../run/phase';
import { afterPart, isHopeless, type Part } from './bisect-parts';
import type { BisectRun } from './bisect-run';

/**
 * Tries parts one by one, halving those that fail. Any other failure ends the bisect, because the next part would fail
 * too.
 */
export const search = phase({
  name: 'search',
  async run(run: BisectRun): Promise<PhaseEnd> {
    for (let part = run.own.pending.at(-1); part !== undefined; part = run.own.pending.at(-1)) {
      if (run.answers.cancelled) throw refusal('CANCELLED', 'the bisect was cancelled');
      const error = await tryPart(run, part);
      if (error) return { error, status: 'failed' };
      if (isHopeless(run.own.pending, Object.keys(run.own.failing).length, hasArrived(run.state)))
        throw hopeless(run);
      await run.save();
      if (run.own.pending.length > 0 && isLong()) await continueRun(run);
    }
    return {
      detail: `${countOf(run.state.children?.length ?? 0, 'run')}, ${countOf(Object.keys(run.own.failing).length, 'failing item')}`,
    };
  },
});

/** Tries one part and updates the pending ones. Returns the error if the bisect cannot continue. */
async function tryPart(run: BisectRun, part: Part): Promise<RunState['error']> {
  run.own.pending = run.own.pending.slice(0, -1);
  const end = await run.child.run(part);
  switch (end.kind) {
    case 'done':
      run.own.pending = afterPart(run.own.pending, part, false);
      return undefined;
    case 'job-failed': {
      const { runId, error } = end.state;
      if (part.count === 1)
        run.own.failing = { ...run.own.failing, [runId]: error?.message ?? 'its import failed' };
      run.own.pending = afterPart(
        run.own.pending,
        { ...part, reuse: part.reuse ?? leftBy(run, end.state) },
        true,
      );
      return undefined;
    }
    case 'failed':
      return end.error;
  }
}

/** A failed part's package holds both halves, if the route keeps it. */
function leftBy({ route }: BisectRun, { package: left, runId }: RunState): Reuse | undefined {
  const isKept = route.options.keep.failedMs > 0;
  return left && isKept ? { runId: left.of ?? runId, sha256: left.sha256 } : undefined;
}

const hasArrived = ({ children = [] }: Readonly<RunState>): boolean =>
  children.some(({ status }) => status !== 'failed' && status !== 'cancelled');

function hopeless({ own: { failing } }: BisectRun): Error {
  const words = Object.values(failing);
  return refusal(
    'JOB_FAILED',
    `${words.length} items failed one by one and none was imported, so no single item is the cause; the last one: ${words.at(-1)}`,
  );
}
