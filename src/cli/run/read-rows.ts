import type { Portolan } from '../../contract/contract';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import type { Plan } from '../../model/transfer/plan';

/** The plan of a run with all rows, or why they cannot be read; neither if they do not exist. */
export async function readRows(
  portolan: Portolan,
  { runId, plan }: RunRecord,
): Promise<{ readonly rows?: Plan; readonly why?: PortolanError }> {
  if (plan === undefined) return {};
  try {
    const {
      total: _total,
      next: _next,
      ...rows
    } = await portolan.readPlan({ run: runId, plan: plan.sha256 });
    return { rows };
  } catch (thrown) {
    const why = PortolanError.from(thrown);
    return why.code === 'NOT_FOUND' ? {} : { why };
  }
}
