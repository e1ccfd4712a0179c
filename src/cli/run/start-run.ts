import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import type { BisectInput } from '../../model/run/bisect';
import { newRunId, requestedRunId } from '../../model/run/new-run-id';
import { type RunKind, runRecord } from '../../model/run/run';
import type { Reuse, RunInput, SyncInput } from '../../model/run/run-input';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { fingerprintOf, memoFor, readMemo } from '../../model/run/start-memo';
import type { Route, RunRoute } from '../../model/transfer/route';
import { keys } from '../../store/keys';
import { openStore } from '../../store/open-store';
import type { TemporalClient } from '../../temporal/session';
import { whoTypes } from '../terminal/who';

export interface StartRequest {
  readonly route: Route;
  readonly yes: boolean;
  readonly requestId?: string;
  readonly reason?: string;
  readonly scheduledBy?: string;
  /** The run that this one restarts or retries, and what it takes over. */
  readonly parent?: string;
  readonly reuse?: Reuse;
  /** Its id, where something was put into the store under it. @default a new one, or that of the request id */
  readonly runId?: string;
}

export interface StartedRun {
  readonly runId: string;
  /** False where the request id had started it before. */
  readonly isNew: boolean;
}

/** A run's id is that of its workflow, and nothing else ever has it. */
const named = (runId: string) => ({
  workflowId: runId,
  workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
});

/**
 * Starts a sync. With a request id, the run of that id is started once, by whoever asks first.
 * Throws `NO_USER` where an end's credentials have no user, and `USAGE` where the request id was used for
 * something else.
 */
export async function startSync(
  config: Config,
  { client }: TemporalClient,
  request: StartRequest,
): Promise<StartedRun> {
  const { route, yes, requestId, reason, scheduledBy, parent, reuse } = request;
  requireUsers(config, route);
  const startedBy = whoTypes();
  const runId =
    requestId === undefined
      ? (request.runId ?? newRunId('sync', route.name))
      : requestedRunId('sync', route.name, requestId);
  const known = requestId === undefined ? undefined : await startedBefore(config, client, runId, route);
  if (known !== undefined) return known;
  const input: SyncInput = {
    runId,
    route,
    startedBy,
    yes,
    requestId,
    reason,
    scheduledBy,
    parent,
    reuse,
  };
  try {
    await client.workflow.start('sync', {
      ...named(runId),
      ...startOptions('sync', config, input),
      args: [input],
    });
    return { runId, isNew: true };
  } catch (thrown) {
    const raced = requestId !== undefined && thrown instanceof WorkflowExecutionAlreadyStartedError;
    const other = raced ? await startedBefore(config, client, runId, route) : undefined;
    if (other !== undefined) return other;
    throw thrown;
  }
}

/** What a run of one portal, or of a snapshot, is started with; its id and who started it are added. */
export type RunStart<Input extends RunInput> = Omit<Input, 'runId' | 'startedBy'>;

/** Starts a run of another kind. Throws `NO_USER`. */
export async function startKind<Input extends RunInput>(
  kind: RunKind,
  config: Config,
  { client }: TemporalClient,
  start: RunStart<Input>,
): Promise<StartedRun> {
  const { route, requestId } = start;
  requireUsers(config, kind === 'backup' ? route : { target: route.target });
  const runId =
    requestId === undefined ? newRunId(kind, route.name) : requestedRunId(kind, route.name, requestId);
  const known = requestId === undefined ? undefined : await startedBefore(config, client, runId, route);
  if (known !== undefined) return known;
  const input: RunInput = { ...start, runId, startedBy: whoTypes() };
  await client.workflow.start(workflowOf(kind), {
    ...named(runId),
    ...startOptions(kind, config, input),
    args: [input],
  });
  return { runId, isNew: true };
}

/** Starts the search for the items with which an import fails as a whole. Throws `NO_USER`. */
export async function startBisect(
  config: Config,
  { client }: TemporalClient,
  request: Omit<BisectInput, 'startedBy' | 'yes'>,
): Promise<StartedRun> {
  const { runId, route } = request;
  requireUsers(config, route);
  const input: BisectInput = { ...request, startedBy: whoTypes(), yes: true };
  await client.workflow.start('bisect', {
    ...named(runId),
    ...startOptions('bisect', config, input),
    args: [input],
  });
  return { runId, isNew: true };
}

/** The run that a request id has started already; Temporal forgets ended runs after a while, the store does not. */
async function startedBefore(
  config: Config,
  client: TemporalClient['client'],
  runId: string,
  route: RunRoute,
): Promise<StartedRun | undefined> {
  try {
    const { memo } = await client.workflow.getHandle(runId).describe();
    if (readMemo(memo)?.fingerprint === fingerprintOf(route)) return { runId, isNew: false };
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    return (await recorded(config, runId)) ? { runId, isNew: false } : undefined;
  }
  throw new PortolanError('USAGE', `This request id has started ${runId} with other options.`, {
    hint: 'Take another request id, or the same options.',
  });
}

const recorded = async (config: Config, runId: string): Promise<boolean> =>
  (await openStore(config.store).readJson(keys.record(runId), runRecord)) !== undefined;

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD');

/** What a run is started with besides its id and its input, by whomever: what it is found by and shown with. */
export const startOptions = (
  kind: RunKind,
  config: Config,
  { route, startedBy, scheduledBy }: Pick<RunInput, 'route' | 'startedBy' | 'scheduledBy'>,
) => ({
  taskQueue: config.temporal.taskQueue,
  memo: memoFor(route, startedBy, scheduledBy),
  typedSearchAttributes: [
    { key: keyword(searchAttributeNames.kind), value: kind },
    { key: keyword(searchAttributeNames.route), value: route.name },
  ],
  staticSummary: summaryOf(kind, route),
  staticDetails: detailsOf(route, startedBy),
});

/** The workflow of a kind has its name in one word: `taskRun` of `task-run`. */
export const workflowOf = (kind: RunKind): string =>
  kind.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Application credentials can read and be looked at by `doctor`; what they would write has no owner. */
export function requireUsers(
  config: Config,
  route: { readonly source?: { readonly portal: string }; readonly target?: { readonly portal: string } },
): void {
  for (const end of [route.source, route.target]) {
    if (end === undefined) continue;
    const { portal } = end;
    if (findPortal(config, portal).auth.type !== 'clientCredentials') continue;
    throw new PortolanError(
      'NO_USER',
      `Portal "${portal}" is configured with clientCredentials, which have no user.`,
      { portal },
    );
  }
}

/** Temporal's Web UI shows it in lists; at most 200 bytes. */
const summaryOf = (kind: RunKind, { name, source, target }: RunRoute): string =>
  Buffer.from(`${kind} ${name}: ${source.portal} -> ${target?.portal ?? 'the store'}`)
    .subarray(0, 200)
    .toString('utf8');

function detailsOf(route: RunRoute, startedBy: string): string {
  const { source, target, options } = route;
  return [
    `**${route.name}**, started by ${startedBy}`,
    '',
    `- from **${source.portal}** ${source.url}, group \`${source.groupId}\``,
    target ? `- to **${target.portal}** ${target.url}, group \`${target.groupId}\`` : '- to the store',
    `- overwrite: ${options.overwrite}, data: ${options.data}, approval: ${options.approval}${options.planOnly ? ', plan only' : ''}`,
  ].join('\n');
}
