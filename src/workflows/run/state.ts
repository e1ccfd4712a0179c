import { defineQuery, workflowInfo } from '@temporalio/workflow';
import type { Action, RecordEnd, RunKind } from '../../model/run/run';
import { type AnyInput, messageNames } from '../../model/run/run-input';
import { identityOf, type Person } from '../../model/run/signature';
import type { RunState } from '../../model/run/run-state';

export const stateQuery = defineQuery<RunState>(messageNames.state);

export const now = (): string => new Date(Date.now()).toISOString();

/** An operator's action, at this moment. */
export const actionOf = ({ who, identity }: Person, what: string, reason?: string): Action => ({
  at: now(),
  who,
  identity,
  what,
  reason,
});

/** The Temporal execution at hand. */
export const executionOf = ({ runId }: Pick<AnyInput, 'runId'>): RunState['temporal'] => ({
  workflowId: runId,
  runId: workflowInfo().runId,
  taskQueue: workflowInfo().taskQueue,
});

/** The state of a run that has done nothing yet. */
export const firstState = (
  kind: RunKind,
  start: AnyInput & { readonly route: RunState['route']; readonly operation?: string },
): RunState => ({
  runId: start.runId,
  kind,
  operation: start.operation,
  status: 'running',
  target: 'untouched',
  route: sourceAndTarget(start.route),
  temporal: executionOf(start),
  startedAt: now(),
  startedBy: start.startedBy,
  parent: start.parent,
  scheduledBy: start.scheduledBy,
  phases: [],
  actions: [actionOf({ who: start.startedBy, identity: identityOf(start) }, 'start', start.reason)],
  warnings: [],
  leftRunning: [],
});

/** A route as the record has it. */
export const sourceAndTarget = ({ name, source, target }: RunState['route']): RunState['route'] => ({
  name,
  source: source && endOf(source),
  target: target && endOf(target),
});

/** A rule names no group. */
const endOf = ({ portal, url, groupId }: RecordEnd): RecordEnd => ({
  portal,
  url,
  groupId: groupId === '' ? undefined : groupId,
});
