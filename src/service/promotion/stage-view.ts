import { z } from 'zod';
import type { PipelineConfig, StageConfig } from '../../config/config';
import type { PromotionEntry, StagedRelease } from '../../model/release/promotion';

/** A stage of a pipeline, for people and programs. */
export const stageShown = z.object({
  name: z.string(),
  portal: z.string(),
  after: z.string().optional(),
  release: z.string().optional().describe('current release; absent if none'),
  sha256: z.string().optional(),
  since: z.string().optional().describe('ISO 8601, in UTC'),
  by: z.string().optional().describe('who promoted it'),
  verified: z
    .enum(['ok', 'failed'])
    .optional()
    .describe('`failed`: its promotion did not complete, or a parked one has written there'),
  checks: z.number().optional().describe('checks that passed'),
  hotfix: z.boolean().optional(),
  soakUntil: z
    .string()
    .optional()
    .describe('when its soak ends and the next stage can take it; absent once over'),
  underWay: z
    .object({ runId: z.string(), status: z.string() })
    .optional()
    .describe('open promotion: its run and status'),
  next: z
    .object({
      release: z.string(),
      from: z.string().optional().describe('when it can be promoted, if not now'),
      wentBack: z.literal(true).optional().describe('rolled back from this stage before'),
    })
    .optional()
    .describe(
      'current release of the previous stage, if verified there and not current here; absent if either stage failed',
    ),
  drift: z
    .union([
      z.object({
        edited: z
          .array(z.string())
          .readonly()
          .describe('IDs of items modified there since the last promotion or rollback'),
        fewer: z.number().describe('how many items its groups have lost since, net'),
      }),
      z.object({ unknown: z.string().describe('why drift is unknown') }),
    ])
    .optional(),
  frozen: z.string().optional().describe('why writes are refused'),
});
export type StageView = z.infer<typeof stageShown>;

interface StagesSeen {
  readonly now: number;
  readonly undone: ReadonlySet<string>;
  readonly half: ReadonlySet<string>;
}

/** An entry of a stage's history. */
export type HistoryView = PromotionEntry;

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
