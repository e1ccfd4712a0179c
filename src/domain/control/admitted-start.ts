import { z } from 'zod';
import type { PortalRef } from '../../model/portal-change/change';
import { askedBy, type IntendedWrite, writerOf } from '../../model/run/policy';
import type { RunInput, DrillInput } from '../../model/run/run-input';
import { type ReceivedStart, kindOfType } from '../../model/run/signature';
import type { RunRoute } from '../../model/transfer/route';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { notAuthentic } from './control';
import type { PortolanError } from '../../model/errors/errors';
import { type RunRecord, runRecord } from '../../model/run/run';
import { oneLine } from '../../model/text/plain-text';
import { indexRun } from '../run/run-index';

/**
 * An accepted start, stored with a signature so that no one with access to the store can forge one. Signed data is
 * kept unchanged, in its key order.
 */
export const admittedStart = z.object({
  execution: z.string(),
  workflowType: z.string(),
  input: z.custom<ReceivedStart['input']>(isObject),
  /** When the run ended; nothing is written or deleted for it after that. */
  endedAt: z.string().optional(),
});
export type AdmittedStart = z.infer<typeof admittedStart>;

/** What a signed input says about its writes. It was signed by a Portolan, so that its shape is known. */
export const signedInput = ({ input }: AdmittedStart) =>
  input as Partial<Pick<RunInput, 'startedBy' | 'yes' | 'parent'> & Pick<DrillInput, 'import'>> & {
    readonly route?: RunRoute;
    readonly portal?: PortalRef;
  };

/** What a run writes, by its start options. */
export function intendedBy(start: AdmittedStart): IntendedWrite {
  const { import: imports, portal, route } = signedInput(start);
  const writer = writerOf(start.workflowType, imports);
  if (portal) return { writer, target: { portal: portal.portal } };
  if (!route?.target) throw notAuthentic('a backup writes nothing');
  return askedBy(writer, { ...route, target: route.target });
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Records when a run has ended: its signed start is used up. */
export async function noteEnd(store: Store, runId: string, endedAt: string): Promise<void> {
  const start = await store.readJson(keys.start(runId), admittedStart);
  if (!start || start.endedAt !== undefined) return;
  await store.writeJson(keys.start(runId), { ...start, endedAt });
}

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
