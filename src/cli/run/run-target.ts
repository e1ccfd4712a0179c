import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';

/** Where a run goes. Throws `USAGE` for one that goes nowhere, such as a backup. */
export function targetOf({ runId, kind, route }: RunRecord): NonNullable<RunRecord['route']['target']> {
  if (route.target) return route.target;
  throw new PortolanError('USAGE', `${runId} is a ${kind}, and has no target.`);
}
