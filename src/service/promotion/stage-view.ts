import type { PipelineConfig, StageConfig } from '../../config/config';
import type { PromotionEntry } from '../../model/release/promotion';
import type { Drift } from '../../domain/release/stage-listing';
import type { Standing } from '../../model/release/stage-state';

/** A stage of a pipeline, as people and programs see it. */
export interface StageView {
  readonly name: string;
  readonly portal: string;
  readonly after?: string;
  /** What stands there; absent where nothing does. */
  readonly release?: string;
  readonly sha256?: string;
  /** Since when. ISO 8601, in UTC. */
  readonly since?: string;
  /** Whoever brought it there. */
  readonly by?: string;
  /** `failed`: the stage holds some of it. */
  readonly verified?: 'ok' | 'failed';
  /** Checks that passed there. */
  readonly checks?: number;
  readonly hotfix?: boolean;
  /** Until when it has to stand there, before the stage after it takes it. ISO 8601, in UTC. */
  readonly soakUntil?: string;
  /** A promotion that goes on, or waits: its run, and how it stands. */
  readonly underWay?: { readonly runId: string; readonly status: string };
  /** The release that may come there next; from when on where that is not now, and whether it went back from there before. */
  readonly next?: { readonly release: string; readonly from?: string; readonly wentBack?: true };
  /** Ids of items that were edited there since the last promotion, and how many are fewer; `unknown` says why that is not known. */
  readonly drift?: Drift | { readonly unknown: string };
  /** Why nothing is written there for now. */
  readonly frozen?: string;
}

/** What became of releases in a stage. */
export type HistoryView = PromotionEntry;

/**
 * A stage with what stands there, and what may come next.
 * @param now in milliseconds since the epoch
 * @param undone releases that went back from there, by their sha256
 */
export function stageView(
  { stages }: PipelineConfig,
  stage: StageConfig,
  standings: ReadonlyMap<string, readonly Standing[]>,
  { now, undone }: { readonly now: number; readonly undone: ReadonlySet<string> },
): StageView {
  const { name, portal, after } = stage;
  const standing = standings.get(name)?.at(-1);
  const before = after === undefined ? undefined : standings.get(after)?.at(-1);
  const soak = Math.max(0, ...stages.filter((each) => each.after === name).map(({ soakMs }) => soakMs));
  const { verifiedAt, entry } = standing ?? {};
  const soakUntil = verifiedAt !== undefined && verifiedAt + soak > now ? verifiedAt + soak : undefined;
  const from = before?.verifiedAt === undefined ? undefined : before.verifiedAt + stage.soakMs;
  return {
    ...{ name, portal, after },
    ...(standing && {
      ...{ release: standing.release, sha256: standing.sha256 },
      since: entry?.at ?? isoOf(verifiedAt),
      by: entry?.who,
      verified: verifiedAt === undefined ? 'failed' : 'ok',
      checks: entry?.checks,
      hotfix: entry?.hotfix,
      soakUntil: isoOf(soakUntil),
    }),
    ...(before?.verifiedAt !== undefined &&
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
