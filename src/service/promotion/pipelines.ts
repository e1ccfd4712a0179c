import { findPipeline, findStage, resolvePromotion } from '../../config/resolve-pipeline';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import type { StoredSources } from '../run/run-sources';
import { type PipelineHistory, stageDifference, type StageDifferenceView } from './history-view';
import { releaseToPromote } from './release-to-promote';

/** Throws `PIPELINE_NOT_FOUND` and `STAGE_NOT_FOUND`. @param stage @default all of them */
export async function readHistory(
  { config, store }: StoredSources,
  name: string,
  stage?: string,
): Promise<PipelineHistory> {
  const pipeline = findPipeline(config, name);
  if (stage !== undefined) findStage(config, pipeline, stage);
  const { promotions } = openSnapshots(config, store).releases;
  return { pipeline: name, entries: (await promotions.entries(name, stage)).reverse() };
}

/**
 * The changes a release would make on a stage, by the listings of its groups. Writes nothing.
 * @param text the release. @default the current release of the previous stage
 */
export async function readStageDifference(
  { config, store, signal }: StoredSources,
  name: string,
  stageName: string,
  text?: string,
): Promise<StageDifferenceView> {
  const pipeline = findPipeline(config, name);
  const stage = findStage(config, pipeline, stageName);
  const snapshots = openSnapshots(config, store);
  const { releases } = snapshots;
  const release = await releaseToPromote(releases, { pipeline, stage, text });
  const standing = (await releases.promotions.standings(pipeline)).get(stage.name)?.at(-1);
  const stands = standing && (await releases.read(standing.release)).manifest;
  const entry = (await releases.promotions.entries(name, stage.name)).at(-1);
  const [{ PortalPool }, { diffStage }] = await Promise.all([
    import('../../config/portal-pool.js'),
    import('../../domain/release/stage-diff.js'),
  ]);
  const portals = new PortalPool(config, signal);
  try {
    const promotion = resolvePromotion(config, name, stage.name, release);
    const found = { config, store, snapshots, portal: portals.open(stage.portal) };
    return stageDifference.parse(await diffStage(found, promotion, release, { stands, entry }));
  } finally {
    await portals.close();
  }
}
