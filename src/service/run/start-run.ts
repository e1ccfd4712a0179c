import { createHash, randomInt } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config';
import { admittedStart } from '../../domain/control/admitted-start';
import { pageAddress } from '../../config/page-address';
import { findPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { type ChangeInput, type PortalRef, routeOfChange } from '../../model/portal-change/change';
import { type RunKind, type RunRecord, runRecord } from '../../model/run/run';
import { nameInId, timeStamp } from '../../model/run/run-id';
import type { RunInput } from '../../model/run/run-input';
import {
  fingerprintOf,
  fingerprintOfChange,
  memoFor,
  memoForChange,
  readMemo,
} from '../../model/run/start-memo';
import { markdownText } from '../../model/text/plain-text';
import type { RunRoute } from '../../model/transfer/route';
import { keys } from '../../store/keys';
import { queueAndAttributes, type StartContext, type StartOptions, startWorkflow } from '../../starter';
import { openStore } from '../../store/open-store';
import type { TemporalClient } from '../../temporal/connection';

/** Letters and digits that are not mistaken for each other when read aloud or typed. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Length of the random end of a run id; also the shortest form that people type. */
const suffixLength = 4;

/** A new run id, such as `sync-transport-20261121T030000Z-k7q2`. It is the Temporal workflow id as well. */
export function newRunId(kind: string, route: string, at = new Date()): string {
  const suffix = Array.from({ length: suffixLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${kind}-${nameInId(route)}-${timeStamp(at.getTime())}-${suffix}`;
}

/**
 * The run id that belongs to a request id: the same for the same kind, route and request id, so that a
 * repeated request meets the run that the first one started, on whichever machine it is typed.
 */
export function requestedRunId(kind: string, route: string, requestId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, route, requestId]))
    .digest();
  const suffix = Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
  return `${kind}-${nameInId(route)}-request-${suffix}`;
}

export interface StartedRun {
  readonly runId: string;
  /** False if the request ID had started it before. */
  readonly isNew: boolean;
}

/** ID of a run or portal change: that of its request ID, or a new one. */
export const runIdFor = (kind: RunKind, name: string, requestId: string | undefined): string =>
  requestId === undefined ? newRunId(kind, name) : requestedRunId(kind, name, requestId);

/** Whether a run belongs to the request ID: once started, it is the one `latest` means. */
export const isOfRequest = ({ runId, kind, route }: RunRecord, requestId: string | undefined): boolean =>
  requestId !== undefined && runId === requestedRunId(kind, route.name, requestId);

/** Start options of a group run; its ID and starter are added. */
export type RunStart<Input extends RunInput> = Omit<Input, 'runId' | 'startedBy'> & {
  /** Store key prefix, by `runIdFor`. */
  readonly runId?: string;
};

/** Kinds whose source is a snapshot. */
const fromSnapshots: ReadonlySet<RunKind> = new Set(['restore', 'rollback', 'drill', 'promotion']);

/** The ends that need a sign-in; the source of a snapshot does not. */
export const endsAsked = (
  kind: RunKind,
  { source, target }: Pick<RunRoute, 'source' | 'target'>,
): Partial<Pick<RunRoute, 'source' | 'target'>> =>
  fromSnapshots.has(kind) ? { target } : { source, target };

/**
 * Starts a run of a group. With a request ID, only the first request starts it. Throws `NO_USER` if an end's
 * credentials have no user, and `USAGE` if the request ID was used for something else.
 * @param prepare puts into the store what the run is going to read; not done where it has begun already
 */
export async function startRun<Input extends RunInput>(
  kind: RunKind,
  starting: StartContext,
  start: RunStart<Input>,
  prepare?: () => Promise<void>,
): Promise<StartedRun> {
  const { config, temporal, asker } = starting;
  const { route, requestId } = start;
  requireUsers(config, endsAsked(kind, route));
  const runId = start.runId ?? runIdFor(kind, route.name, requestId);
  const asked = askedBy(start);
  const findStarted = async (): Promise<StartedRun | undefined> =>
    requestId === undefined
      ? undefined
      : await startedBefore(config, temporal.client, runId, fingerprintOf(route, asked));
  const started = await findStarted();
  if (started !== undefined) return started;
  await prepare?.();
  const input: RunInput = { ...start, runId, startedBy: asker.who };
  return await startOnce(kind, starting, input, startOptions(kind, config, input, asked), findStarted);
}

/** Starts a workflow, unless the same request has started it meanwhile. */
async function startOnce<Input extends { readonly runId: string }>(
  kind: RunKind,
  starting: StartContext,
  input: Input,
  options: StartOptions,
  findStarted: () => Promise<StartedRun | undefined>,
): Promise<StartedRun> {
  try {
    await startWorkflow(kind, starting, input, options);
    return { runId: input.runId, isNew: true };
  } catch (thrown) {
    const isTaken = thrown instanceof WorkflowExecutionAlreadyStartedError;
    const started = isTaken ? await findStarted() : undefined;
    if (started !== undefined) return started;
    throw thrown;
  }
}

/** Starter, reason and reused state do not make a request different. */
const notAsked: ReadonlySet<string> = new Set<keyof RunInput>([
  ...(['route', 'runId', 'requestId', 'reason', 'yes', 'attended', 'scheduledBy', 'reuse'] as const),
  ...(['startedBy', 'parks', 'proof'] as const),
]);

/** The options of a start besides its route. */
const askedBy = (start: object): object =>
  Object.fromEntries(Object.entries(start).filter(([name]) => !notAsked.has(name)));

/** A portal as sent with a change. Throws PORTAL_NOT_FOUND, and NO_USER if it has no user. */
export function portalRefOf(config: Config, name: string): PortalRef {
  const { url } = findPortal(config, name);
  requireUsers(config, { target: { portal: name } });
  return { portal: name, url };
}

/** `--request-id` of a change. */
export interface ChangeRequest {
  readonly requestId?: string;
  /** The options that make a change different. */
  readonly asked: object;
}

/** The change a request ID has already started, if any. Throws `USAGE` if that was something else. */
export async function changeStartedBefore(
  kind: RunKind,
  { config, temporal }: Pick<StartContext, 'config' | 'temporal'>,
  portal: string,
  { requestId, asked }: ChangeRequest,
): Promise<StartedRun | undefined> {
  if (requestId === undefined) return undefined;
  const runId = requestedRunId(kind, portal, requestId);
  return await startedBefore(config, temporal.client, runId, fingerprintOfChange(asked));
}

/** Starts a portal change. With a request ID, its run is started once. */
export async function startChange<Input extends ChangeInput>(
  kind: RunKind,
  starting: StartContext,
  start: Omit<Input, 'startedBy'>,
  request: ChangeRequest = { asked: {} },
): Promise<StartedRun> {
  const { config, asker } = starting;
  const input: ChangeInput = { ...start, startedBy: asker.who };
  const { operation, portal, from, startedBy } = input;
  const options = {
    ...queueAndAttributes(kind, config, portal.portal),
    memo: memoForChange(routeOfChange(input), operation, startedBy, request.asked),
    staticSummary: `${kind} ${operation}: ${from ? `${from.portal} → ` : ''}${portal.portal}`,
  };
  return await startOnce(kind, starting, input, options, () =>
    changeStartedBefore(kind, starting, portal.portal, request),
  );
}

/** The run a request ID has already started; the store remembers it longer than Temporal. */
async function startedBefore(
  config: Config,
  client: TemporalClient['client'],
  runId: string,
  fingerprint: string,
): Promise<StartedRun | undefined> {
  try {
    const { memo } = await client.workflow.getHandle(runId).describe();
    if (readMemo(memo)?.fingerprint === fingerprint) return { runId, isNew: false };
  } catch (thrown) {
    if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    const store = openStore(config);
    if ((await store.readJson(keys.record(runId), runRecord)) === undefined) return undefined;
    const start = await store.readJson(keys.start(runId), admittedStart);
    const { route } = (start?.input ?? {}) as Partial<RunInput>;
    // A portal change's request is not part of its start.
    if (!start || !route || fingerprintOf(route, askedBy(start.input)) === fingerprint)
      return { runId, isNew: false };
  }
  throw new PortolanError('USAGE', `This request ID has already started ${runId} with other options.`, {
    hint: 'Use another request ID, or the same options.',
  });
}

/** Workflow options besides ID and input: search attributes, memo and display texts. */
export const startOptions = (
  kind: RunKind,
  config: Config,
  { route, startedBy, scheduledBy }: Pick<RunInput, 'route' | 'startedBy' | 'scheduledBy'>,
  asked?: object,
) => ({
  ...queueAndAttributes(kind, config, route.name),
  memo: memoFor(route, startedBy, scheduledBy, asked),
  staticSummary: summaryOf(kind, route),
  staticDetails: detailsOf(route, startedBy, pageAddress(config.serve)),
});

/** App credentials can read and run `doctor`; what they wrote would have no owner. */
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
  Buffer.from(`${kind} ${name}: ${source.portal} → ${target?.portal ?? 'the store'}`)
    .subarray(0, 200)
    .toString('utf8');

/** @param page where runs are seen; which one it is, a schedule does not know beforehand */
function detailsOf(route: RunRoute, startedBy: string, page: string | undefined): string {
  const { name, source, target, options } = route;
  return [
    `**${name}**, started by ${markdownText(startedBy)}`,
    '',
    `- from **${source.portal}** ${source.url}${source.groupId === '' ? '' : `, group \`${source.groupId}\``}`,
    target ? `- to **${target.portal}** ${target.url}, group \`${target.groupId}\`` : '- to the store',
    `- overwrite: ${options.overwrite}, data: ${options.data}, approval: ${options.approval}${options.planOnly ? ', plan only' : ''}`,
    ...(page === undefined ? [] : [`- [runs of this route](${page}/runs?route=${encodeURIComponent(name)})`]),
  ].join('\n');
}
