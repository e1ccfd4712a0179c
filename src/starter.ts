import { defineSearchAttributeKey } from '@temporalio/common';
import type { Config } from './config/config';
import { openControl } from './domain/control/control';
import type { RunKind } from './model/run/run';
import { searchAttributeNames } from './model/run/run-id';
import type { Person } from './model/run/signature';
import type { StartMemo } from './model/run/start-memo';
import type { TemporalClient } from './temporal/connection';

/** Who starts, and where. */
export interface StartContext {
  readonly config: Config;
  readonly temporal: TemporalClient;
  readonly asker: Person;
}

/** By what Temporal lists a run, and what its Web UI shows. */
export interface StartOptions extends ReturnType<typeof queueAndAttributes> {
  readonly memo: Record<string, StartMemo>;
  readonly staticSummary: string;
  readonly staticDetails?: string;
}

/**
 * Starts the workflow of a run; all commands and the API come here. The worker verifies the signature and decides by
 * its own configuration: a start only requests.
 * @throws WorkflowExecutionAlreadyStartedError if the run ID was used before
 */
export async function startWorkflow<Input extends { readonly runId: string }>(
  kind: RunKind,
  { config, temporal, asker }: StartContext,
  input: Input,
  options: StartOptions,
): Promise<void> {
  const type = workflowTypeOf(kind);
  const control = await openControl(config);
  await temporal.client.workflow.start(type, {
    workflowId: input.runId,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    args: [control.signStart(type, input.runId, input, asker.identity)],
    ...options,
  });
}

/** The task queue of the workers, and the search attributes by which commands find the run. */
export const queueAndAttributes = (kind: RunKind, config: Config, route: string) => ({
  taskQueue: config.temporal.taskQueue,
  typedSearchAttributes: [
    { key: keyword(searchAttributeNames.kind), value: kind },
    { key: keyword(searchAttributeNames.route), value: route },
  ],
});

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD');

/** The workflow type of a kind: `taskRun` for `task-run`. */
const workflowTypeOf = (kind: RunKind): string =>
  kind.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
