import type { PipelineConfig, StageConfig } from '../../config/config';
import type { StageView } from '../../contract/pipelines';
import { Policy } from '../../domain/policy/policy';
import { blockText } from '../../domain/release/releases';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import { type PromotionEntry, wentBack, type StagedRelease } from '../../model/release/promotion';
import { stageName } from '../../model/release/promotion-input';
import type { ReleaseBlock } from '../../model/release/release';
import type { RunRecord } from '../../model/run/run';
import type { ReadContext, StoredSources } from '../run/run-sources';
import { openPromotions } from './parked-promotion';

/**
 * The current state of a pipeline's stages.
 * @param withDrift whether each stage's portal is asked what was edited there since, until the signal fires
 */
export async function readStages(
  sources: ReadContext & StoredSources,
  pipeline: PipelineConfig,
  withDrift: boolean,
): Promise<StageView[]> {
  const { config, store, signal } = sources;
  const underWay = await openPromotions(sources, pipeline);
  const { releases } = openSnapshots(config, store);
  const { promotions } = releases;
  const blocks = await releases.blocks();
  const standings = await promotions.standings(pipeline);
  const entries = await promotions.entries(pipeline.name);
  const drifts = withDrift ? await driftOf({ config, signal }, entries, pipeline) : undefined;
  const half = new Set(
    pipeline.stages.flatMap(({ name }) =>
      underWay.some((run) => run.stage === stageName(pipeline.name, name) && isHalf(run)) ? [name] : [],
    ),
  );
  const policy = new Policy(config, store);
  return await Promise.all(
    pipeline.stages.map(async (stage) => {
      const named = stageName(pipeline.name, stage.name);
      const ofStage = stage.after === undefined ? undefined : await policy.freezeOf(named);
      const frozen = ofStage ?? (await policy.freezeOf(stage.portal));
      const undone = wentBack(entries.filter((entry) => entry.stage === stage.name));
      // The promotion that was started first is in progress; the others wait for it.
      const run = underWay.filter((each) => each.stage === named).at(-1);
      return {
        ...stageView(pipeline, stage, standings, { now: Date.now(), undone, half, blocks }),
        ...(drifts?.has(stage.name) && { drift: drifts.get(stage.name) }),
        ...(run && { underWay: { runId: run.runId, status: run.status } }),
        ...(frozen && { frozen: `by ${frozen.who}: ${frozen.reason}` }),
      };
    }),
  );
}

const isHalf = ({ status, target }: RunRecord): boolean => status === 'parked' && target !== 'untouched';

/** Drift of each stage since the last promotion or rollback, by its portal's current listings. */
async function driftOf(
  { config, signal }: Pick<StoredSources, 'config' | 'signal'>,
  entries: readonly PromotionEntry[],
  { stages }: PipelineConfig,
): Promise<Map<string, StageView['drift']>> {
  const [{ PortalPool }, { driftSince, listStage }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../../domain/release/stage-listing.js'),
  ]);
  const portals = new PortalPool(config, signal);
  try {
    const drifts = await Promise.all(
      stages.map(async ({ name: stage, portal, groups }): Promise<[string, StageView['drift']]> => {
        const listed = entries.findLast((entry) => entry.stage === stage)?.listed;
        if (!listed) return [stage, undefined];
        const all = Object.entries(groups).map(([group, groupId]) => ({ name: group, groupId }));
        try {
          return [stage, driftSince(listed, await listStage(portals.open(portal), all))];
        } catch (thrown) {
          return [stage, { unknown: PortolanError.from(thrown).plainMessage }];
        }
      }),
    );
    return new Map(drifts.filter(([, drift]) => drift !== undefined));
  } finally {
    await portals.close();
  }
}

interface StagesSeen {
  readonly now: number;
  readonly undone: ReadonlySet<string>;
  readonly half: ReadonlySet<string>;
  readonly blocks: ReadonlyMap<string, ReleaseBlock>;
}

/**
 * The state of a stage, and the release that can be promoted next.
 * @param now in milliseconds since the epoch
 * @param undone releases that went back from there, by their sha256
 * @param half stages that a parked promotion has written into
 * @param blocks by the sha256 of the release
 */
export function stageView(
  { stages }: PipelineConfig,
  stage: StageConfig,
  standings: ReadonlyMap<string, readonly StagedRelease[]>,
  { now, undone, half, blocks }: StagesSeen,
): StageView {
  const { name, portal, after } = stage;
  const standing = standings.get(name)?.at(-1);
  const isFailed = (each: string): boolean => {
    const last = standings.get(each)?.at(-1);
    return half.has(each) || (last !== undefined && last.verifiedAt === undefined);
  };
  const before = after === undefined ? undefined : standings.get(after)?.at(-1);
  const soak = Math.max(0, ...stages.filter((each) => each.after === name).map(({ soakMs }) => soakMs));
  const { verifiedAt, entry } = standing ?? {};
  const blockedAs = (sha256 = ''): { blocked?: string } => {
    const block = blocks.get(sha256);
    return block ? { blocked: blockText(block) } : {};
  };
  const soakUntil = verifiedAt !== undefined && verifiedAt + soak > now ? verifiedAt + soak : undefined;
  const from = before?.verifiedAt === undefined ? undefined : before.verifiedAt + stage.soakMs;
  return {
    name,
    portal,
    after,
    ...(standing && {
      release: standing.release,
      sha256: standing.sha256,
      ...blockedAs(standing.sha256),
      since: entry?.at ?? isoOf(verifiedAt),
      by: entry?.who,
      verified: 'ok' as const,
      checks: entry?.checks,
      hotfix: entry?.hotfix,
      soakUntil: isoOf(soakUntil),
    }),
    ...(isFailed(name) && { verified: 'failed' as const }),
    ...(before?.verifiedAt !== undefined &&
      ![name, after ?? ''].some(isFailed) &&
      before.sha256 !== standing?.sha256 && {
        next: {
          release: before.release,
          ...blockedAs(before.sha256),
          ...(from !== undefined && from > now && { from: isoOf(from) }),
          ...(undone.has(before.sha256) && { wentBack: true }),
        },
      }),
  };
}

const isoOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
