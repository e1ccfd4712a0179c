import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPipeline, findStage, resolvePromotion } from '../../../config/resolve-pipeline';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { PortolanError } from '../../../model/errors/errors';
import type { PromotionInput } from '../../../model/release/promotion-input';
import { withSources } from '../../../service/run/run-sources';
import type { RunStart } from '../../../service/run/start-run';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { beginPromotion } from '../begin-promotion';
import { endParked } from '../parked-promotion';

/** `portolan promote rollback`: a stage goes back to what it was before its last promotion. */
export const promoteRollbackCommand = () =>
  new Command('rollback')
    .summary('bring a stage back to what it was before its last promotion')
    .description(
      'Undoes the last promotion of a stage, the last group first: what was overwritten comes back from the safeguards, what was created goes, settings and categories become what they were. What somebody has changed since is named and stays, and the stage counts as failed; --overwrite-edits brings back what was overwritten all the same. A promotion that is parked there is ended first.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .argument('<stage>', 'stage of the pipeline')
    .option(
      '--overwrite-edits',
      'overwrite also what somebody has changed since in items that were there before',
    )
    .option('--yes', 'approve it')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record and in the history of the stage')
    .action((name, stageName, { yes = false, wait, timeout: timeoutMs, ...asked }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const pipeline = findPipeline(config, name);
        const stage = findStage(config, pipeline, stageName);
        return withSources(config, async (sources) => {
          const { releases } = openSnapshots(config, sources.store);
          const start = async (): Promise<RunStart<PromotionInput>> => {
            await endParked(sources, output, { pipeline, stage }, asked.reason);
            const standings = await releases.promotions.standings(pipeline);
            const { entry } = standings.get(stage.name)?.at(-1) ?? {};
            if (!entry)
              throw new PortolanError(
                'PROMOTION_REFUSED',
                `Nothing was promoted to ${stage.name} that could go back.`,
                { hint: `See what stands where: portolan promote status ${name}` },
              );
            const { manifest } = await releases.read(entry.release);
            const resolved = resolvePromotion(config, name, stage.name, manifest);
            return { ...resolved, yes, undoes: entry.runId, ...asked };
          };
          const isMeant = ({ stage: from, undoes }: PromotionInput): boolean =>
            from === stage.name && undoes !== undefined;
          return beginPromotion(
            sources,
            output,
            { pipeline: name, requestId: asked.requestId, start, isMeant },
            { wait, timeoutMs },
          );
        });
      }),
    );
