import { z } from 'zod';
import { type ChangeInput, changeKinds, portalRef } from './change';
import { memoKey } from '../run/memo-key';

/** What a change is started with for those who look at it later without a worker. */
const changeMemo = z.object({
  change: z.object({
    kind: z.enum(changeKinds),
    operation: z.string(),
    portal: portalRef,
    from: portalRef.optional(),
  }),
  startedBy: z.string(),
});
export type ChangeMemo = z.infer<typeof changeMemo>;

export const memoForChange = (
  kind: ChangeMemo['change']['kind'],
  { operation, portal, from, startedBy }: ChangeInput,
): Record<string, ChangeMemo> => ({
  [memoKey]: { change: { kind, operation, portal, from }, startedBy },
});

/** The memo of a change of ours, undefined for anything else. */
export function readChangeMemo(memo: Record<string, unknown> | undefined): ChangeMemo | undefined {
  const parsed = changeMemo.safeParse(memo?.[memoKey]);
  return parsed.success ? parsed.data : undefined;
}
