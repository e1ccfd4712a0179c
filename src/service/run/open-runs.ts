import type { RunKind } from '../../model/run/run';
import { awaitRecordedEnd, readRun } from './read-run';
import { runPage } from './run-rows';
import type { ReadContext } from './run-sources';

/**
 * The oldest open run of a route: later ones may wait for its end. Temporal's index may still list one that has just
 * ended, so each is read.
 *
 * @param except a run that does not count
 */
export async function findOpenRun(
  sources: Required<ReadContext>,
  { kind, route }: { readonly kind: RunKind; readonly route: string },
  except?: string,
): Promise<string | undefined> {
  const { rows } = await runPage(sources, { open: true, kind, route });
  for (const { runId } of rows.filter((row) => row.runId !== except).reverse()) {
    const { open } = await awaitRecordedEnd(sources, await readRun(sources, runId));
    if (open) return runId;
  }
  return undefined;
}
