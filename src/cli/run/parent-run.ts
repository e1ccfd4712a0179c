import type { Config } from '../../config/config';
import { resolveRoute } from '../../config/resolve-route';
import { correctedRoute } from '../../model/transfer/corrected-route';
import { PortolanError } from '../../model/errors/errors';
import type { Route } from '../../model/transfer/route';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { SyncInput } from '../../model/run/run-input';
import { lookAt } from './answer-run';
import { findRun } from './find-run';
import { readRun, type RunSources } from './read-run';
import type { TemporalClient } from '../../temporal/session';
import { startAgain } from './render/snapshot-of-run';
import { targetOf } from './run-target';

/** A run that is over, and what another one that takes its place needs to know of it. */
export interface ParentRun {
  readonly record: RunRecord;
  /** As it was started, with what was corrected when it was resumed. */
  readonly route: Route;
  /** What the reader has to know of the route. */
  readonly notes: readonly string[];
}

/** The run that somebody wants done again. Throws `RUN_NOT_FOUND`, and `USAGE` where it is not over. */
export async function findParent(sources: Required<RunSources>, text: string): Promise<ParentRun> {
  const runId = await findRun(sources, text);
  const { record, open } = await readRun(sources, runId);
  if (open) throw stillOpen(record);
  const command = startAgain(record);
  if (command !== undefined) {
    throw new PortolanError('USAGE', `${runId} is a ${record.kind}, and is not taken up in parts.`, {
      hint: `Start it anew: ${command}`,
    });
  }
  const input = await inputOf(sources.temporal, record);
  const notes = input
    ? []
    : [
        `Temporal no longer knows with which options ${runId} was started; those of ${sources.config.path} hold`,
      ];
  const route = input?.route ?? routeOfToday(sources.config, record);
  const { corrected } = record;
  if (!corrected) return { record, route, notes };
  notes.push(`with what was corrected when it was resumed: ${Object.keys(corrected).join(', ')}`);
  return { record, route: correctedRoute(route, corrected), notes };
}

function stillOpen({ runId, status }: RunRecord): PortolanError {
  const short = shortRunId(runId);
  const next =
    status === 'parked'
      ? `Go on with it: portolan run resume ${short}, or end it: portolan run cancel ${short}`
      : `End it first: portolan run cancel ${short}, or see how it goes on: portolan run watch ${short}`;
  return new PortolanError('USAGE', `${runId} is ${status} and not over.`, { hint: next });
}

/** What the workflow was started with stands in the first event of its history. */
async function inputOf(
  { client, namespace }: TemporalClient,
  { temporal: { workflowId, runId } }: RunRecord,
): Promise<SyncInput | undefined> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    const payload = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    if (!payload) return undefined;
    return client.options.loadedDataConverter.payloadConverter.fromPayload<SyncInput>(payload);
  } catch {
    // What Temporal has forgotten, or cannot tell now.
    return undefined;
  }
}

/** The route of that name as it is configured now, where it still has the ends that it had. */
function routeOfToday(config: Config, record: RunRecord): Route {
  const { name, source } = record.route;
  const target = targetOf(record);
  const route = resolveRoute(
    config,
    config.routes.has(name)
      ? { route: name }
      : { from: source.portal, group: source.groupId, to: target.portal, into: target.groupId },
  );
  const isSame = (a: Route['source'], b: typeof source): boolean =>
    a.portal === b.portal && a.groupId === b.groupId && a.url === b.url;
  if (isSame(route.source, source) && isSame(route.target, target)) return { ...route, name };
  throw new PortolanError(
    'USAGE',
    `Temporal has forgotten how ${record.runId} was started, and the route "${name}" has other ends by now.`,
    { hint: `${lookAt(record.runId)}; start anew with: portolan sync` },
  );
}
