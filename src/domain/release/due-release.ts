import type { PipelineConfig, StageConfig } from '../../config/config';
import type { Standing } from '../../model/release/promotion';
import { promotionBlocker } from './promotion-eligibility';

/** The release that can be promoted to a stage, or why there is none. */
export type DueRelease =
  { readonly release: string } | { readonly release?: undefined; readonly why: string };

/**
 * The latest release of those that came to the stage before which may come into a stage now, and that is later than what
 * stands there. One that went back from there does not come again by itself: it would go back each time.
 * @param standings of every stage
 */
export function dueRelease(
  pipeline: PipelineConfig,
  stage: StageConfig,
  standings: ReadonlyMap<string, readonly Standing[]>,
  { now, undone }: { readonly now: number; readonly undone: ReadonlySet<string> },
): DueRelease {
  const before = standings.get(stage.after ?? '') ?? [];
  const here = standings.get(stage.name)?.at(-1);
  const isHere = ({ sha256 }: Standing): boolean => sha256 === here?.sha256 && here.verifiedAt !== undefined;
  const later = before.slice(before.findLastIndex(isHere) + 1).reverse();
  if (later.length === 0)
    return {
      why:
        before.length === 0
          ? `${stage.after ?? 'the stage before'} has no release`
          : `${here?.release ?? ''} is the current release of ${stage.name}, and ${stage.after ?? ''} has no later one`,
    };
  const asked = later.map(({ release: id, sha256 }) => ({
    id,
    why: undone.has(sha256)
      ? {
          saw: `${id} was rolled back on ${stage.name}; to promote it again: portolan promote ${pipeline.name} --to ${stage.name} --release ${id}`,
        }
      : promotionBlocker(pipeline, stage, { id, sha256 }, standings, { now }),
  }));
  const found = asked.find(({ why }) => why === undefined);
  return found ? { release: found.id } : { why: asked[0]?.why?.saw ?? '' };
}
