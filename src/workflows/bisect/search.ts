import type { Reuse } from '../../model/run/run-input';
import type { RunState } from '../../model/run/run-state';
import { countOf } from '../../model/text/words';
import { refusal } from '../run/failure';
import { eachPart } from '../run/parts';
import { phase, type PhaseEnd } from '../run/phase';
import { afterPart, isHopeless, type Part } from './bisect-parts';
import { syncPart } from './bisect-child';
import type { BisectRun } from './bisect-run';

/**
 * Tries parts one by one, halving those that fail. Any other failure ends the bisect, because the next part would fail
 * too.
 */
export const search = phase({
  name: 'search',
  async run(run: BisectRun): Promise<PhaseEnd> {
    const error = await eachPart(
      run,
      () => run.own.pending.at(-1),
      1,
      (part) => tryPart(run, part),
    );
    if (error) return { error, status: 'failed' };
    return {
      detail: `${countOf(run.state.children?.length ?? 0, 'run')}, ${countOf(Object.keys(run.own.failing).length, 'failing item')}`,
    };
  },
});

/** Tries one part and updates the pending ones. Returns the error if the bisect cannot continue. */
async function tryPart(run: BisectRun, part: Part): Promise<RunState['error']> {
  const { own } = run;
  const pending = own.pending.slice(0, -1);
  own.pending = pending;
  const end = await syncPart(run, part);
  switch (end.kind) {
    case 'done':
      own.pending = afterPart(pending, part, false);
      break;
    case 'job-failed': {
      const { runId, error } = end.state;
      if (part.count === 1) own.failing = { ...own.failing, [runId]: error?.message ?? 'its import failed' };
      own.pending = afterPart(pending, { ...part, reuse: part.reuse ?? leftBy(run, end.state) }, true);
      break;
    }
    case 'failed':
      return end.error;
  }
  if (isHopeless(own.pending, Object.keys(own.failing).length, hasArrived(run.state))) throw hopeless(run);
  return undefined;
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
