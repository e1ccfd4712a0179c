import { z } from 'zod';
import type { PipelineConfig, StageConfig } from '../../config/config';
import type { PromotionEntry } from '../../model/release/promotion';
import type { Standing } from '../../model/release/stage-state';

/** A stage of a pipeline, as people and programs see it. */
export const stageShown = z.object({
  name: z.string(),
  portal: z.string(),
  after: z.string().optional(),
  release: z.string().optional().describe('what stands there; absent where nothing does'),
  sha256: z.string().optional(),
  since: z.string().optional().describe('ISO 8601, in UTC'),
  by: z.string().optional().describe('whoever brought it there'),
  verified: z.enum(['ok', 'failed']).optional().describe('`failed`: the stage holds some of it'),
  checks: z.number().optional().describe('checks that passed there'),
  hotfix: z.boolean().optional(),
  soakUntil: z
    .string()
    .optional()
    .describe('until when it has to stand there, before the stage after it takes it'),
  underWay: z
    .object({ runId: z.string(), status: z.string() })
    .optional()
    .describe('a promotion that goes on, or waits: its run, and how it stands'),
  next: z
    .object({
      release: z.string(),
      from: z.string().optional().describe('from when on, where that is not now'),
      wentBack: z.literal(true).optional().describe('it went back from there before'),
    })
    .optional()
    .describe('the release that may come there next; absent while it or the stage before holds a failed one'),
  drift: z
    .union([
      z.object({
        edited: z
          .array(z.string())
          .readonly()
          .describe('ids of items that were edited there since the last promotion'),
        fewer: z.number().describe('how many items fewer the groups hold'),
      }),
      z.object({ unknown: z.string().describe('why that is not known') }),
    ])
    .optional(),
  frozen: z.string().optional().describe('why nothing is written there for now'),
});
export type StageView = z.infer<typeof stageShown>;

interface StagesSeen {
  readonly now: number;
  readonly undone: ReadonlySet<string>;
  readonly half: ReadonlySet<string>;
}

/** What became of releases in a stage. */
export type HistoryView = PromotionEntry;

/**
 * A stage with what stands there, and what may come next.
 * @param now in milliseconds since the epoch
 * @param undone releases that went back from there, by their sha256
 * @param half stages that a parked promotion has written into
 */
export function stageView(
  { stages }: PipelineConfig,
  stage: StageConfig,
  standings: ReadonlyMap<string, readonly Standing[]>,
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
    ...{ name, portal, after },
    ...(standing && {
      ...{ release: standing.release, sha256: standing.sha256 },
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
