import { CancellationScope, log, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { BisectInput } from '../../model/run/bisect';
import type { RunStatus } from '../../model/run/phase';
import type { RunState } from '../../model/run/run-state';
import { reading, saveRecord } from '../run/calls';
import { errorRecordOf } from '../run/failure';
import { now } from '../run/first-state';
import { outcomeKey } from '../run/search-attributes';

/** Puts every item into one list, by what the runs of its parts came to, and closes the record. */
export async function closeBisect(
  { runId, parent, route }: BisectInput,
  state: RunState,
  failing: Readonly<Record<string, string>>,
): Promise<void> {
  const { items, itemList } = route.options;
  const children = (state.children ?? []).map((child) => ({
    runId: child.runId,
    failing: failing[child.runId],
  }));
  try {
    const chosen = { items, itemList };
    state.items = await reading('the ledger').uniteLedgers({ runId, parent, chosen, children });
  } catch (error) {
    state.warnings.push(`the ledger could not be completed: ${errorRecordOf(error, route).message}`);
  }
  state.status = statusOf(state);
  state.finishedAt = now();
  upsertSearchAttributes([{ key: outcomeKey, value: state.status }]);
  await saveBisect(state);
}

/** Writes the record; a store that cannot take it now gets it with the next part. */
export async function saveBisect(state: RunState): Promise<void> {
  setCurrentDetails(details(state));
  try {
    await CancellationScope.nonCancellable(() => saveRecord(state));
  } catch (error) {
    log.warn('the run record could not be written', { error });
  }
}

function statusOf({ error, items, children = [] }: RunState): RunStatus {
  if (error) return error.code === 'CANCELLED' ? 'cancelled' : 'failed';
  const open = (items?.failed ?? 0) + (items?.unaccounted ?? 0) + (items?.blocked ?? 0);
  if (open > 0 || !items || children.some(({ status }) => status === 'partial')) return 'partial';
  return items.imported > 0 ? 'succeeded' : 'nothing-to-do';
}

const details = ({ status, children = [] }: RunState): string =>
  [
    `**${status}**, ${children.length} runs`,
    '',
    ...children.slice(-20).map((child) => `- ${child.runId}: ${child.items} items, ${child.status}`),
  ].join('\n');
