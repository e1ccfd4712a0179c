import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPipeline, findStage, resolvePromotion } from '../../../config/resolve-pipeline';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { openStore } from '../../../store/open-store';
import { perform } from '../../terminal/globals';
import { releaseToPromote } from '../../../service/promotion/release-to-promote';
import { stageDiffTable } from '../render/stage-diff';

/** `portolan promote diff`: what a release would make of a stage, without a write. */
export const promoteDiffCommand = () =>
  new Command('diff')
    .summary('what a release would change in a stage, writes nothing')
    .description(
      'Compares a release with what its stage holds, by listings and by what stands there: items that are new, changed, or edited on the stage since, settings and categories value by value, and what the map of the stage changes. Ends with 20 where a promotion would change something. What the portal itself says is known only after an upload: portolan promote PIPELINE --to STAGE --plan-only.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .argument('<stage>', 'stage of the pipeline')
    .option(
      '--release <release>',
      'id, an end of it, latest, or latest:PIPELINE; by default what stands in the stage before',
    )
    .action((name, stageName, { release: text }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const pipeline = findPipeline(config, name);
        const stage = findStage(config, pipeline, stageName);
        const store = openStore(config);
        const snapshots = openSnapshots(config, store);
        const { releases } = snapshots;
        const release = await releaseToPromote(releases, { pipeline, stage, text });
        const standing = (await releases.promotions.standings(pipeline)).get(stage.name)?.at(-1);
        const stands = standing && (await releases.read(standing.release)).manifest;
        const entry = (await releases.promotions.entries(name, stage.name)).at(-1);
        const [{ PortalPool }, { diffStage, stageDiffers }] = await Promise.all([
          import('../../../config/portal-pool.js'),
          import('../../../domain/release/stage-diff.js'),
        ]);
        const portals = new PortalPool(config);
        try {
          const portal = portals.open(stage.portal);
          const promotion = resolvePromotion(config, name, stage.name, release);
          const found = { config, store, snapshots, portal };
          const diff = await diffStage(found, promotion, release, { stands, entry });
          const status = stageDiffers(diff) ? exitStatus.differences : exitStatus.done;
          output.show(diff, (style) => stageDiffTable(diff, style));
          output.note(`\nStage: untouched.  Exit status ${status}.`);
          return status;
        } finally {
          await portals.close();
        }
      }),
    );
