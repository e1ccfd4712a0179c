import { findPipeline, findStage, resolvePromotion } from '../../config/resolve-pipeline';
import { type pipelineOperations, stageDifference } from '../../contract/pipelines';
import { blockText } from '../../domain/release/releases';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import type { Handlers } from '../context';
import { pageOf } from '../pages';
import { readStages } from './read-stages';
import { releaseToPromote } from './release-to-promote';

/** Each throws `PIPELINE_NOT_FOUND` and `STAGE_NOT_FOUND`. */
export const pipelineHandlers: Handlers<typeof pipelineOperations> = {
  listPipelines: async ({ config }) =>
    [...config.pipelines.values()].map(({ name, stages }) => ({
      pipeline: name,
      stages: stages.map((stage) => stage.name),
    })),

  async readPipeline(context, { pipeline, drift }) {
    return { pipeline, stages: await readStages(context, findPipeline(context.config, pipeline), drift) };
  },

  async readHistory({ config, store }, { pipeline: name, stage, ...paging }) {
    const pipeline = findPipeline(config, name);
    if (stage !== undefined) findStage(config, pipeline, stage);
    const { promotions } = openSnapshots(config, store).releases;
    const entries = (await promotions.entries(name, stage)).reverse();
    const { page, next } = pageOf(entries, paging, ({ kind, runId }) => `${kind} ${runId}`);
    return { pipeline: name, entries: page, next };
  },

  /** By the listings of its groups. Writes nothing. */
  async diffStage(
    { config, store, signal },
    { pipeline: name, stage: stageName, release: text, changes: comparesContent },
  ) {
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
      const difference = await diffStage(found, promotion, release, { stands, entry, comparesContent });
      const block = (await releases.blocks()).get(release.sha256);
      return stageDifference.parse({ ...difference, blocked: block && blockText(block) });
    } finally {
      await portals.close();
    }
  },
};
