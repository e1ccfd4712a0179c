import type { PortolanError } from '../../model/errors/errors';
import { kindOfType, type ReceivedStart } from '../../model/run/signature';
import { type RunRecord, runRecord } from '../../model/run/run';
import { oneLine } from '../../model/text/plain-text';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { indexRun } from '../run/run-index';

/** Maximum refusals recorded per run. */
const NOTED_MAX = 20;
const WHAT = 'start refused';

/** Records a refused start, in the record of the run with its ID, or in a new one. */
export async function noteRefusal(
  store: Store,
  { workflowId, workflowType, execution, input }: ReceivedStart,
  error: PortolanError,
  at: string,
): Promise<void> {
  const { startedBy } = input as { startedBy?: unknown };
  const who = typeof startedBy === 'string' ? oneLine(startedBy).slice(0, 200) : 'unknown';
  const refused = { at, who, identity: 'claimed', what: WHAT, reason: error.plainMessage } as const;
  const key = keys.record(workflowId);
  const before = await store.readJson(key, runRecord);
  if (before && before.actions.filter(({ what }) => what === WHAT).length >= NOTED_MAX) return;
  const { code, plainMessage: message, hint, meaning } = error;
  const record: RunRecord = before ?? {
    runId: workflowId,
    kind: kindOfType(workflowType),
    status: 'failed',
    target: 'untouched',
    route: { name: 'unknown' },
    temporal: { workflowId, runId: execution },
    startedAt: at,
    finishedAt: at,
    phases: [],
    actions: [],
    warnings: [],
    leftRunning: [],
    error: { origin: 'config', kind: meaning.kind, code, message, hint },
  };
  await indexRun(store, record);
  await store.writeJson(key, { ...record, actions: [...record.actions, refused] });
}
