import type { RunStatus } from '../../../model/run/phase';
import { searchAttributeNames } from '../../../model/run/run-id';

const { outcome: outcomeName } = searchAttributeNames;
/** A run ended by Temporal still has its last reported state. */
const saidNoEnd = `(${outcomeName} IS NULL OR ${outcomeName} IN ('running', 'waiting', 'parked'))`;
const endedByTemporal: Readonly<Partial<Record<RunStatus, string>>> = {
  succeeded: `${saidNoEnd} AND ExecutionStatus = 'Completed'`,
  cancelled: `${saidNoEnd} AND ExecutionStatus = 'Canceled'`,
  failed: `${saidNoEnd} AND ExecutionStatus IN ('Failed', 'Terminated', 'TimedOut')`,
};

/** The visibility query for runs with this end. */
export function endedAs(outcome: RunStatus): string {
  const unsaid = endedByTemporal[outcome];
  return `(${outcomeName} = '${outcome}'${unsaid === undefined ? '' : ` OR (${unsaid})`})`;
}
