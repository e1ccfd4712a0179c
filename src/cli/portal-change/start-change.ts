import { defineSearchAttributeKey } from '@temporalio/common';
import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import type { ChangeInput, PortalRef } from '../../model/portal-change/change';
import { routeOfChange } from '../../model/portal-change/change-route';
import type { RunKind } from '../../model/run/run';
import { memoForChange } from '../../model/run/start-memo';
import { newRunId } from '../../model/run/new-run-id';
import { searchAttributeNames } from '../../model/run/search-attributes';
import type { TemporalClient } from '../../temporal/session';
import { whoTypes } from '../terminal/who';
import { requireUsers, workflowOf } from '../run/start-run';

/** What a change is started with; who started it is added. */
export type ChangeStart<Input extends ChangeInput> = Omit<Input, 'startedBy'>;

/** A portal as it is sent with the start of a change. Throws PORTAL_NOT_FOUND, and NO_USER where it has no user. */
export function placeOf(config: Config, name: string): PortalRef {
  const { url } = findPortal(config, name);
  requireUsers(config, { target: { portal: name } });
  return { portal: name, url };
}

/** The id of a change that is about to be started: `settings-production-20261121T030000Z-k7q2`. */
export const newChangeId = (kind: RunKind, portal: string): string => newRunId(kind, portal);

/** Starts a change; its id is that of its workflow, and nothing else ever has it. */
export async function startChange<Input extends ChangeInput>(
  kind: RunKind,
  config: Config,
  { client }: TemporalClient,
  start: ChangeStart<Input>,
): Promise<void> {
  const input: ChangeInput = { ...start, startedBy: whoTypes() };
  const { runId, operation, portal, from } = input;
  const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD');
  await client.workflow.start(workflowOf(kind), {
    workflowId: runId,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    taskQueue: config.temporal.taskQueue,
    memo: memoForChange(routeOfChange(input), operation, input.startedBy),
    typedSearchAttributes: [
      { key: keyword(searchAttributeNames.kind), value: kind },
      { key: keyword(searchAttributeNames.route), value: portal.portal },
    ],
    staticSummary: `${kind} ${operation}: ${from ? `${from.portal} -> ` : ''}${portal.portal}`,
    args: [input],
  });
}
