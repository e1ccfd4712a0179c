import { PortolanError } from '../../model/errors/errors';
import type { Ledger } from '../../model/transfer/ledger';
import { type Outcomes, outcomes } from '../../model/transfer/outcomes';
import type { RequestedItem } from '../../model/transfer/requested';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

export interface RunEnd {
  readonly runId: string;
  readonly requested: readonly RequestedItem[];
  readonly ledger: Ledger;
  /** The target's `modified` of each item that its group lists after the run. */
  readonly onTarget: ReadonlyMap<string, number | undefined>;
  /** Ids of everything in the source group, requested or not. */
  readonly inSource: ReadonlySet<string>;
}

/** The outcomes of a route after one more run. What it left as it was keeps its earlier one while its group holds it. */
export function outcomesAfter(
  before: Outcomes,
  { runId, requested, ledger, onTarget, inSource }: RunEnd,
): Outcomes {
  const items = new Map(requested.map((item) => [item.itemId, item]));
  const after = new Map(Object.entries(before).filter(([itemId]) => inSource.has(itemId)));
  for (const { itemId } of ledger.imported)
    after.set(itemId, {
      runId,
      imported: { source: items.get(itemId)?.modified, target: onTarget.get(itemId) },
    });
  for (const { itemId, type = '?', reason } of ledger.skipped)
    // What the table of types says is known without any run.
    if (items.get(itemId)?.skip === undefined) after.set(itemId, { runId, skipped: { type, reason } });
  return Object.fromEntries(after);
}

/** What is noted of a route's items; `why` where what lies there is not what Portolan wrote, and so counts for nothing. */
export async function readOutcomes(
  store: Store,
  route: Parameters<typeof keys.outcomes>[0],
): Promise<{ readonly known: Outcomes; readonly why?: string }> {
  try {
    return { known: (await store.readJson(keys.outcomes(route), outcomes)) ?? {} };
  } catch (thrown) {
    if (!isAltered(thrown)) throw thrown;
    return { known: {}, why: PortolanError.from(thrown).plainMessage };
  }
}
