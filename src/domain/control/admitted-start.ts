import { z } from 'zod';
import type { PortalRef } from '../../model/portal-change/change';
import { askedBy, type IntendedWrite, writerOf } from '../../model/run/policy';
import type { RunInput, DrillInput } from '../../model/run/run-input';
import type { ReceivedStart } from '../../model/run/signature';
import type { RunRoute } from '../../model/transfer/route';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { notAuthentic } from './control';

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
