import type { PipelineConfig, StageConfig } from '../../config/config';
import type { StageView } from '../../contract/pipelines';
import type { StagedRelease } from '../../model/release/promotion';

interface StagesSeen {
  readonly now: number;
  readonly undone: ReadonlySet<string>;
  readonly half: ReadonlySet<string>;
}

/**
 * The state of a stage, and the release that can be promoted next.
 * @param now in milliseconds since the epoch
 * @param undone releases that went back from there, by their sha256
 * @param half stages that a parked promotion has written into
 */
export function stageView(
  { stages }: PipelineConfig,
  stage: StageConfig,
  standings: ReadonlyMap<string, readonly StagedRelease[]>,
  { now, undone, half }: StagesSeen,
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
  const soakUntil = verifiedAt !== undefined && verifiedAt + soak > now ? verifiedAt + soak : undefined;
  const from = before?.verifiedAt === undefined ? undefined : before.verifiedAt + stage.soakMs;
  return {
    name,
    portal,
    after,
    ...(standing && {
      release: standing.release,
      sha256: standing.sha256,
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
          ...(from !== undefined && from > now && { from: isoOf(from) }),
          ...(undone.has(before.sha256) && { wentBack: true }),
        },
      }),
  };
}

const isoOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();
