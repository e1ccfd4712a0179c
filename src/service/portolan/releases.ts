import type { SnapshotPin } from '../../model/snapshot/snapshot';
import type { PipelineHistory, StageDifferenceView } from '../promotion/history-view';
import type { StageView } from '../promotion/stage-view';
import type { ListedReleases, ReleaseDiffView, ReleaseView } from '../release/release-view';

/** Operations on releases, named by ID, the end of an ID, `latest`, or `latest:PIPELINE`. */
export interface PortolanReleases {
  list(pipeline?: string): Promise<ListedReleases>;
  /** Throws `RELEASE_NOT_FOUND`, and `USAGE` if several match, as do all that take a name. */
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

/** Current releases and history of pipelines. */
export interface PortolanPipelines {
  /** All pipelines, or one. @param drift whether portals are asked what was edited there since */
  stages(
    pipeline: string | undefined,
    asked: { readonly drift: boolean },
  ): Promise<readonly PipelineStages[]>;
  history(pipeline: string, stage?: string): Promise<PipelineHistory>;
  /** The changes a release would make on a stage. @param release @default what stands in the stage before */
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
