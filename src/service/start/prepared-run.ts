import type { BegunRun, Takeover } from '../../contract/starts';
import type { RunKind } from '../../model/run/run';
import type { RunInput } from '../../model/run/run-input';
import { portalsOf } from '../../model/text/words';
import { requireAbleWorkers } from '../run/compatible-workers';
import type { WriteContext } from '../run/run-sources';
import { endsAsked, type RunStart, startRun } from '../run/start-run';

/** What a start is prepared with. */
export interface Starting extends WriteContext {
  /** Makes it idempotent: `--request-id`, or the header `Idempotency-Key`. */
  readonly requestId?: string;
  /** Reports what is done before the run starts. */
  readonly say?: (words: string) => void;
  /** Aborts portal requests. */
  readonly signal?: AbortSignal;
}

/** A run that passed the checks of its kind and has not started. */
export interface PreparedRun {
  readonly kind: RunKind;
  readonly start: RunStart<RunInput>;
  /** What it reuses from an earlier run. */
  readonly takeover?: Takeover;
  /** ID of the run that the same request has started before. */
  readonly begun?: string;
  /** Stores what the run will read. */
  readonly keep?: () => Promise<void>;
}

/** Kinds whose plan may wait for approval. */
const planned: ReadonlySet<RunKind> = new Set(['sync', 'bisect', 'restore', 'rollback', 'promotion']);

/** How a prepared run is started. */
interface Beginning {
  /** The starter is shown its plan and can be asked. @default false */
  readonly attended?: boolean;
  /** Called right before it starts. */
  readonly begins?: () => void;
}

/** Starts a prepared run. Throws `NO_WORKER` if no worker would take it. */
export async function begin(
  sources: WriteContext,
  { kind, start, takeover, begun, keep }: PreparedRun,
  { attended = false, begins }: Beginning = {},
): Promise<BegunRun> {
  const { name, source, target, options } = start.route;
  const workers = await requireAbleWorkers(sources, portalsOf(endsAsked(kind, start.route)));
  const approval = start.yes || !planned.has(kind) ? undefined : options.approval;
  begins?.();
  const isAsked = (attended && approval === 'ask') || undefined;
  const started =
    begun === undefined
      ? await startRun(kind, sources, { ...start, attended: isAsked }, keep)
      : { runId: begun, isNew: false };
  const { planOnly } = options;
  return { ...started, route: { name, source, target }, workers, approval, planOnly, takeover };
}
