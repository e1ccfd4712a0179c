import type { SnapshotPin } from '../../model/snapshot/snapshot';
import type { PipelineHistory, StageDifferenceView } from '../promotion/history-view';
import type { StageView } from '../promotion/stage-view';
import type { ListedReleases, ReleaseDiffView, ReleaseView } from '../release/release-view';

/** A release is named by its id, an end of it, `latest`, or `latest:PIPELINE`. */
export interface PortolanReleases {
  list(pipeline?: string): Promise<ListedReleases>;
  /** Throws `RELEASE_NOT_FOUND`, and `USAGE` where several are meant, as all that take a name. */
  show(text: string): Promise<ReleaseView>;
  diff(earlier: string, later: string): Promise<ReleaseDiffView>;
  pin(text: string, reason: string | undefined): Promise<Pinned>;
  unpin(text: string): Promise<Unpinned>;
  /** @param asked.dryRun only says which one is meant */
  forget(
    text: string,
    asked: { readonly dryRun: boolean },
  ): Promise<{ readonly id: string; readonly forgotten: boolean }>;
}

/** What stands in the stages of pipelines, and what became of releases there. */
export interface PortolanPipelines {
  /** Of all pipelines, or of one. @param drift whether portals are asked what was edited there since */
  stages(
    pipeline: string | undefined,
    asked: { readonly drift: boolean },
  ): Promise<readonly PipelineStages[]>;
  history(pipeline: string, stage?: string): Promise<PipelineHistory>;
  /** What a release would make of a stage. @param release @default what stands in the stage before */
  diff(pipeline: string, stage: string, release?: string): Promise<StageDifferenceView>;
}

export interface Pinned {
  readonly id: string;
  readonly pin: SnapshotPin;
}

export interface Unpinned {
  readonly id: string;
  readonly wasPinned: boolean;
}

export interface PipelineStages {
  readonly pipeline: string;
  readonly stages: readonly StageView[];
}
