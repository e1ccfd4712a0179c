import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import type { ChangeInput } from '../../model/portal-change/change';
import { routeOfChange } from '../../model/portal-change/change-route';
import { memoKey } from '../../model/run/search-attributes';
import type { StartMemo } from '../../model/run/start-memo';
import { signPart } from '../run/activity-options';
import { endOfPart, type PartEnd } from '../run/part-run';
import { kindKey, routeKey } from '../run/search-attributes';
import type { PromotionRun } from './promotion-run';

const workflowOf = { settings: 'settings', 'category-schema': 'categorySchema' } as const;
const nameOf = { settings: 'settings', 'category-schema': 'category schema' } as const;

/** Runs a change of the stage's portal to its end, and shows it. Not cancelled halfway. */
export async function runChangePart(
  run: PromotionRun,
  kind: keyof typeof workflowOf,
  input: ChangeInput,
): Promise<PartEnd> {
  const { runId, portal, startedBy, operation } = input;
  const does = (run.own.failure ?? run.input.undoes) ? 'undo' : 'import';
  run.note({ runId, name: kind, does, items: 0, status: 'running' });
  const route = routeOfChange(input);
  const end = await endOfPart({ runId, route: run.route }, async () => {
    const memo: StartMemo = { route, operation, startedBy };
    const handle = await startChild(workflowOf[kind], {
      workflowId: runId,
      args: [{ ...input, proof: await signPart(input) }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      typedSearchAttributes: [
        { key: kindKey, value: kind },
        { key: routeKey, value: portal.portal },
      ],
      memo: { [memoKey]: memo },
      staticSummary: `promotion: ${nameOf[kind]} of ${portal.portal}`.slice(0, 150),
    });
    return await handle.result();
  });
  run.note({ runId, name: kind, does, items: 0, status: end.status });
  return end;
}
