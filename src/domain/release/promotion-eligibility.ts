import ms from 'ms';
import type { PipelineConfig, StageConfig } from '../../config/config';
import type { ReleaseBlock, ReleaseManifest } from '../../model/release/release';
import { blockText } from './releases';
import { soakedMs, type StagedRelease } from '../../model/release/promotion';

/** Why a release may not come into a stage now. */
interface Refused {
  readonly saw: string;
  /** When it can be promoted, if only time is missing. @format milliseconds since the epoch */
  readonly from?: number;
}

/**
 * Why a release cannot be promoted to a stage; undefined if it can. It must be, or have been, current and verified
 * in the previous stage for the soak time.
 * @param standings of every stage
 */
export function promotionBlocker(
  { name }: PipelineConfig,
  stage: StageConfig,
  { id, sha256 }: Pick<ReleaseManifest, 'id' | 'sha256'>,
  standings: ReadonlyMap<string, readonly StagedRelease[]>,
  { now, hotfix = false }: { readonly now: number; readonly hotfix?: boolean },
): Refused | undefined {
  const { after, soakMs } = stage;
  if (after === undefined)
    return {
      saw: `${stage.name} is the first stage of ${name}, where releases are created`,
    };
  if (hotfix) return undefined;
  const before = standings.get(after) ?? [];
  const soaked = soakedMs(before, sha256, now);
  if (soaked === undefined) {
    const failed = before.some((each) => each.sha256 === sha256);
    return {
      saw: failed
        ? `${id} is not verified on ${after}: its promotion failed there`
        : `${id} was never promoted to ${after}, which comes before ${stage.name}`,
    };
  }
  if (soaked >= soakMs) return undefined;
  const asks = `${stage.name} needs a soak time of ${durationText(soakMs)}`;
  const stands = before.at(-1)?.sha256 === sha256;
  return {
    saw: `${id} has been verified on ${after} for ${durationText(soaked)}; ${asks}`,
    ...(stands && { from: now + soakMs - soaked }),
  };
}

const durationText = (milliseconds: number): string => ms(milliseconds, { long: true });

interface DueOptions {
  /** @format milliseconds since the epoch */
  readonly now: number;
  /** Releases that went back from there, by their sha256. */
  readonly undone: ReadonlySet<string>;
  /** By the sha256 of the release. */
  readonly blocks: ReadonlyMap<string, ReleaseBlock>;
}

/** The release that can be promoted to a stage, or why there is none. */
type DueRelease = { readonly release: string } | { readonly release?: undefined; readonly why: string };

/**
 * The latest release of those that came to the stage before which may come into a stage now, and that is later than what
 * stands there. One that went back from there does not come again by itself: it would go back each time. Nor does one
 * that is blocked.
 * @param standings of every stage
 */
export function dueRelease(
  pipeline: PipelineConfig,
  stage: StageConfig,
  standings: ReadonlyMap<string, readonly StagedRelease[]>,
  { now, undone, blocks }: DueOptions,
): DueRelease {
  const before = standings.get(stage.after ?? '') ?? [];
  const here = standings.get(stage.name)?.at(-1);
  const isHere = ({ sha256 }: StagedRelease): boolean =>
    sha256 === here?.sha256 && here.verifiedAt !== undefined;
  const later = before.slice(before.findLastIndex(isHere) + 1).reverse();
  if (later.length === 0)
    return {
      why:
        before.length === 0
          ? `${stage.after ?? 'the stage before'} has no release`
          : `${here?.release ?? ''} is the current release of ${stage.name}, and ${stage.after ?? ''} has no later one`,
    };
  const whyNot = ({ release: id, sha256 }: StagedRelease): Refused | undefined => {
    const block = blocks.get(sha256);
    if (block)
      return {
        saw: `${id} is blocked ${blockText(block)}; to allow it again: portolan release unblock ${id}`,
      };
    if (undone.has(sha256))
      return {
        saw: `${id} was rolled back on ${stage.name}; to promote it again: portolan promote ${pipeline.name} --to ${stage.name} --release ${id}`,
      };
    return promotionBlocker(pipeline, stage, { id, sha256 }, standings, { now });
  };
  const asked = later.map((each) => ({ id: each.release, why: whyNot(each) }));
  const found = asked.find(({ why }) => why === undefined);
  return found ? { release: found.id } : { why: asked[0]?.why?.saw ?? '' };
}
