import { Command } from '@commander-js/extra-typings';
import type { Config, PipelineConfig } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { findPipeline } from '../../../config/resolve-pipeline';
import { Policy } from '../../../domain/policy/policy';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import type { Promotions } from '../../../domain/release/promotions';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { stageName } from '../../../model/release/promotion-input';
import { wentBack } from '../../../model/release/stage-state';
import { type RunSources, withReadableSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { openPromotions } from '../../../service/promotion/open-promotions';
import { promoteStatus } from '../render/promote-status';
import { type StageView, stageView } from '../../../service/promotion/stage-view';

/** `portolan promote status`: the stages of pipelines side by side. */
export const promoteStatusCommand = () =>
  new Command('status')
    .description(
      'Shows which release stands in which stage, since when, by whom, whether it is verified, how long it has to stand there, what was edited there since, and what may come next.',
    )
    .argument('[pipeline]', 'name of a pipeline in portolan.yaml; without one, all of them')
    .option('--no-drift', 'ask no portal what was edited on the stages since')
    .action((name, { drift }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const pipelines = name === undefined ? [...config.pipelines.values()] : [findPipeline(config, name)];
        return withReadableSources(config, async (sources) => {
          const views: { pipeline: string; stages: StageView[] }[] = [];
          for (const pipeline of pipelines)
            views.push({ pipeline: pipeline.name, stages: await stagesOf(sources, pipeline, drift) });
          output.show(name === undefined ? views : views[0], (style) =>
            views.length === 0
              ? 'No pipelines. Write one into portolan.yaml: docs/guide/promotions.md'
              : views.map((view) => promoteStatus(view.pipeline, view.stages, style)).join('\n\n'),
          );
          return exitStatus.done;
        });
      }),
    );

async function stagesOf(
  sources: RunSources,
  pipeline: PipelineConfig,
  withDrift: boolean,
): Promise<StageView[]> {
  const { config, store } = sources;
  const underWay = await openPromotions(sources, pipeline);
  const { promotions } = openSnapshots(config, store).releases;
  const standings = await promotions.standings(pipeline);
  const entries = await promotions.entries(pipeline.name);
  const drifts = withDrift ? await driftOf(config, promotions, pipeline) : undefined;
  const policy = new Policy(config, store);
  return await Promise.all(
    pipeline.stages.map(async (stage) => {
      const named = stageName(pipeline.name, stage.name);
      const ofStage = stage.after === undefined ? undefined : await policy.freezeOf(named);
      const frozen = ofStage ?? (await policy.freezeOf(stage.portal));
      // The one that was started first is at it; the others wait for it.
      const undone = wentBack(entries.filter((entry) => entry.stage === stage.name));
      const run = underWay.filter((each) => each.stage === named).at(-1);
      return {
        ...stageView(pipeline, stage, standings, { now: Date.now(), undone }),
        ...(drifts?.has(stage.name) && { drift: drifts.get(stage.name) }),
        ...(run && { underWay: { runId: run.runId, status: run.status } }),
        ...(frozen && { frozen: `by ${frozen.who}: ${frozen.reason}` }),
      };
    }),
  );
}

/** What was edited on each stage since the last promotion there, as its portal lists it now. */
async function driftOf(
  config: Config,
  promotions: Promotions,
  { name, stages }: PipelineConfig,
): Promise<Map<string, StageView['drift']>> {
  const entries = await promotions.entries(name);
  const [{ PortalPool }, { driftSince, listStage }] = await Promise.all([
    import('../../../config/portal-pool.js'),
    import('../../../domain/release/stage-listing.js'),
  ]);
  const portals = new PortalPool(config);
  try {
    const drifts = await Promise.all(
      stages.map(async ({ name: stage, portal, groups }): Promise<[string, StageView['drift']]> => {
        const listed = entries.findLast((entry) => entry.stage === stage)?.listed;
        if (!listed) return [stage, undefined];
        const all = Object.entries(groups).map(([group, groupId]) => ({ name: group, groupId }));
        try {
          return [stage, driftSince(listed, await listStage(portals.open(portal), all))];
        } catch (thrown) {
          return [stage, { unknown: PortolanError.from(thrown).plainMessage }];
        }
      }),
    );
    return new Map(drifts.filter(([, drift]) => drift !== undefined));
  } finally {
    await portals.close();
  }
}
