import { workflowInfo } from '@temporalio/workflow';
import type { RouteEnd, RunRoute } from '../../model/transfer/route';
import type { Action, RunRecord } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';

export const now = (): string => new Date(Date.now()).toISOString();

/** What an operator did, at this moment; nobody has proved who it was. */
export const actionOf = (who: string, what: string, reason?: string): Action => ({
  at: now(),
  who,
  identity: 'claimed',
  what,
  reason,
});

/** What starts a run of any kind. */
interface Start {
  readonly runId: string;
  readonly route: RunRoute;
  readonly startedBy: string;
  readonly reason?: string;
  readonly parent?: string;
  readonly scheduledBy?: string;
}

/** The state of a run that has done nothing yet. */
export const firstState = (kind: RunRecord['kind'], start: Start): RunState => ({
  runId: start.runId,
  kind,
  status: 'running',
  target: 'untouched',
  route: {
    name: start.route.name,
    source: endOf(start.route.source),
    target: start.route.target && endOf(start.route.target),
  },
  temporal: { workflowId: start.runId, runId: workflowInfo().runId },
  startedAt: now(),
  startedBy: start.startedBy,
  parent: start.parent,
  scheduledBy: start.scheduledBy,
  phases: [],
  actions: [actionOf(start.startedBy, 'start', start.reason)],
  warnings: [],
  leftRunning: [],
});

/** An end as the record has it. */
export const endOf = ({ portal, url, groupId }: RouteEnd): RunRecord['route']['source'] => ({
  portal,
  url,
  groupId,
});
