import type { StartInput } from '../../contract/starts';
import type { StageConfig } from '../../config/config';
import { findPipeline, findStage, resolvePromotion, resolveRelease } from '../../config/resolve-pipeline';
import { admittedStart } from '../../domain/control/admitted-start';
import { findRelease } from '../../domain/resolve-id';
import { promotionBlocker } from '../../domain/release/promotion-eligibility';
import type { Releases } from '../../domain/release/releases';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { ReleaseManifest } from '../../model/release/release';
import type { ReleaseInput } from '../../model/release/release-input';
import { requestedRunId, type RunStart } from '../run/start-run';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { endParkedPromotion } from '../promotion/parked-promotion';
import { releaseToPromote } from '../promotion/release-to-promote';
import { clockOffset } from '../../temporal/server-clock';
import { readNote, type WriteContext } from '../run/run-sources';
import type { PreparedRun, Starting } from './prepared-run';

/** Prepares a release. Throws `PIPELINE_NOT_FOUND`, `PORTAL_NOT_FOUND`. */
export function prepareRelease(
  { config, requestId }: Starting,
  { pipeline, reason }: StartInput<'createRelease'>,
): PreparedRun {
  const start: RunStart<ReleaseInput> = {
    ...resolveRelease(config, pipeline),
    yes: false,
    requestId,
    reason,
  };
  return { kind: 'release', start };
}

/**
 * Prepares a promotion, or finds the one this request ID started, whatever the stages hold now. Throws `USAGE`,
 * `PIPELINE_NOT_FOUND`, `STAGE_NOT_FOUND`, `RELEASE_NOT_FOUND`, `RELEASE_BLOCKED`, `PROMOTION_REFUSED`.
 */
export async function preparePromotion(
  sources: Starting,
  { pipeline: name, stage: to, release: text, yes, reason, ...asked }: StartInput<'startPromotion'>,
): Promise<PreparedRun> {
  const { config, store, requestId } = sources;
  const { hotfix, atSoak, planOnly } = asked;
  if (hotfix && reason === undefined)
    throw new PortolanError('USAGE', '--hotfix needs --reason.', {
      hint: 'See: portolan promote start --help',
    });
  const pipeline = findPipeline(config, name);
  const stage = findStage(config, pipeline, to);
  const { releases } = openSnapshots(config, store);
  const start = async (): Promise<RunStart<PromotionInput>> => {
    const manifest = await releaseToPromote(releases, { pipeline, stage, text });
    if (!planOnly) await requireMayGo(sources, releases, { name, stage, manifest, hotfix, atSoak });
    const resolved = resolvePromotion(config, name, to, manifest, { planOnly });
    return { ...resolved, yes, requestId, reason, hotfix, atSoak };
  };
  const isMeant = async ({ stage: into, undoes, release, route }: PromotionInput): Promise<boolean> =>
    into === to &&
    undoes === undefined &&
    route.options.planOnly === (planOnly ?? false) &&
    (text === undefined || (await findRelease(releases, text)) === release.id);
  return await prepare(sources, { pipeline: name, start, isMeant });
}

/**
 * Prepares a stage rollback; a promotion parked there is ended first. Throws `PIPELINE_NOT_FOUND`,
 * `STAGE_NOT_FOUND`, `PROMOTION_REFUSED`.
 */
export async function prepareStageRollback(
  sources: Starting,
  { pipeline: name, stage: into, ...asked }: StartInput<'rollBackStage'>,
): Promise<PreparedRun> {
  const { config, store, requestId, say } = sources;
  const pipeline = findPipeline(config, name);
  const stage = findStage(config, pipeline, into);
  const { releases } = openSnapshots(config, store);
  const start = async (): Promise<RunStart<PromotionInput>> => {
    await endParkedPromotion(sources, { pipeline, stage }, asked.reason, say);
    const standings = await releases.promotions.standings(pipeline);
    const { entry } = standings.get(stage.name)?.at(-1) ?? {};
    if (!entry)
      throw new PortolanError('PROMOTION_REFUSED', `${stage.name} has no promotion to roll back.`, {
        hint: `See current releases: portolan promote status ${pipeline.name}`,
      });
    const { manifest } = await releases.read(entry.release);
    const resolved = resolvePromotion(config, pipeline.name, stage.name, manifest);
    return { ...resolved, undoes: entry.runId, requestId, ...asked };
  };
  const isMeant = ({ stage: from, undoes }: PromotionInput): boolean =>
    from === stage.name && undoes !== undefined;
  return await prepare(sources, { pipeline: pipeline.name, start, isMeant });
}

interface Preparation {
  readonly pipeline: string;
  /** The start options, by the current state of the stages. */
  readonly start: () => Promise<RunStart<PromotionInput>>;
  /** Whether the promotion this request ID started is the requested one. */
  readonly isMeant: (before: PromotionInput) => boolean | Promise<boolean>;
}

async function prepare(
  { store, requestId }: Starting,
  { pipeline, start, isMeant }: Preparation,
): Promise<PreparedRun> {
  const before = requestId === undefined ? undefined : await startedBefore(store, pipeline, requestId);
  if (!before || !(await isMeant(before))) return { kind: 'promotion', start: await start() };
  return { kind: 'promotion', start: before, begun: before.runId };
}

/** Its accepted start; undefined if no worker has taken it yet, so that nothing has changed. */
async function startedBefore(
  store: Store,
  pipeline: string,
  requestId: string,
): Promise<PromotionInput | undefined> {
  const runId = requestedRunId('promotion', pipeline, requestId);
  const { value } = await readNote(store, keys.start(runId), admittedStart);
  return value && { ...(value.input as PromotionInput), runId };
}

interface ToPromote {
  readonly name: string;
  readonly stage: StageConfig;
  readonly manifest: ReleaseManifest;
  readonly hotfix: boolean | undefined;
  readonly atSoak: boolean | undefined;
}

/** The worker decides; this check reports a refusal at once. */
async function requireMayGo(
  { config, temporal }: Pick<WriteContext, 'config' | 'temporal'>,
  releases: Releases,
  { name, stage, manifest, hotfix, atSoak }: ToPromote,
): Promise<void> {
  const pipeline = findPipeline(config, name);
  await releases.requireUnblocked(manifest);
  const standings = await releases.promotions.standings(pipeline);
  const whyAt = (now: number) => promotionBlocker(pipeline, stage, manifest, standings, { now, hotfix });
  let why = whyAt(Date.now());
  // Soak times are measured by Temporal's clock.
  if (why?.from !== undefined)
    why = whyAt(Date.now() + ((await clockOffset(temporal, config.temporal.taskQueue)) ?? 0));
  if (!why || (atSoak && why.from !== undefined)) return;
  const later = `portolan promote ${name} --to ${stage.name} --at-soak`;
  const at =
    why.from === undefined ? '' : `It can be promoted at ${new Date(why.from).toISOString()}: ${later}; or `;
  const now = `portolan promote ${name} --to ${stage.name} --hotfix --reason "..."`;
  throw new PortolanError('PROMOTION_REFUSED', `${why.saw}.`, {
    hint: stage.after === undefined ? 'Choose a later stage.' : `${at}now, with a reason: ${now}`,
  });
}
