import { Command } from '@commander-js/extra-typings';
import type { Config, StageConfig } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { findPipeline, findStage, resolvePromotion } from '../../../config/resolve-pipeline';
import { findRelease } from '../../../domain/release/find-release';
import { whyNotPromote } from '../../../domain/release/may-promote';
import type { Releases } from '../../../domain/release/releases';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { PortolanError } from '../../../model/errors/errors';
import type { PromotionInput } from '../../../model/release/promotion-input';
import type { ReleaseManifest } from '../../../model/release/release';
import { planStatus } from '../../run/follow-run';
import { withSources } from '../../../service/run/run-sources';
import type { RunStart } from '../../../service/run/start-run';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { beginPromotion } from '../begin-promotion';
import { releaseToPromote } from '../../../service/promotion/release-to-promote';

/** `portolan promote PIPELINE --to STAGE`: a release comes into a stage. */
export const promoteStartCommand = () =>
  new Command('start')
    .summary('bring a release into a stage; "start" may be left out')
    .description(
      'Brings a release into a stage: one plan over all of its groups, settings and categories, one yes, each group imported and verified by a run of its own. It has to stand verified in the stage before, for as long as the soak of the stage says. Without --release it is what stands there.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .requiredOption('--to <stage>', 'stage of the pipeline')
    .option('--release <release>', 'id, an end of it, latest, or latest:PIPELINE')
    .option('--at-soak', 'where it has not stood in the stage before for long enough, wait until it has')
    .option('--hotfix', 'skip the order of the stages and the soak, never the policy; asks for --reason')
    .option('--plan-only', 'stop after the plan')
    .option('--exit-code', 'with --plan-only: end with 20 where the plan would change something')
    .option('--yes', 'approve the plan')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record and in the history of the stage')
    .action((name, { to, release: text, yes = false, wait, timeout: timeoutMs, ...flags }, command) =>
      perform(command, (output, globals) => {
        const { hotfix, atSoak, planOnly, exitCode, requestId, reason } = flags;
        if (hotfix && reason === undefined) throw usage('--hotfix asks for --reason.');
        if (exitCode && !planOnly) throw usage('--exit-code goes with --plan-only.');
        const config = loadConfig(globals.config);
        const pipeline = findPipeline(config, name);
        const stage = findStage(config, pipeline, to);
        return withSources(config, async (sources) => {
          const { releases } = openSnapshots(config, sources.store);
          const start = async (): Promise<RunStart<PromotionInput>> => {
            const manifest = await releaseToPromote(releases, { pipeline, stage, text });
            if (!planOnly) await requireMayGo(config, releases, { name, stage, manifest, hotfix, atSoak });
            const resolved = resolvePromotion(config, name, to, manifest, { planOnly });
            return { ...resolved, yes, requestId, reason, hotfix, atSoak };
          };
          const isMeant = async ({ stage: into, undoes, release, route }: PromotionInput): Promise<boolean> =>
            into === to &&
            undoes === undefined &&
            route.options.planOnly === (planOnly ?? false) &&
            (text === undefined || (await findRelease(releases, text)) === release.id);
          return beginPromotion(
            sources,
            output,
            { pipeline: name, requestId, start, isMeant },
            { wait, timeoutMs, planOnly, statusOf: exitCode ? planStatus : undefined },
          );
        });
      }),
    );

interface Asked {
  readonly name: string;
  readonly stage: StageConfig;
  readonly manifest: ReleaseManifest;
  readonly hotfix: boolean | undefined;
  readonly atSoak: boolean | undefined;
}

/** The worker decides; whoever types it hears it at once. */
async function requireMayGo(
  config: Config,
  releases: Releases,
  { name, stage, manifest, hotfix, atSoak }: Asked,
): Promise<void> {
  const pipeline = findPipeline(config, name);
  const standings = await releases.promotions.standings(pipeline);
  const why = whyNotPromote(pipeline, stage, manifest, standings, { now: Date.now(), hotfix });
  if (!why || (atSoak && why.from !== undefined)) return;
  const later = `portolan promote ${name} --to ${stage.name} --at-soak`;
  const at = why.from === undefined ? '' : `At ${new Date(why.from).toISOString()} it may go: ${later}; or `;
  const now = `portolan promote ${name} --to ${stage.name} --hotfix --reason "..."`;
  throw new PortolanError('PROMOTION_REFUSED', `${why.saw}.`, {
    hint: stage.after === undefined ? 'Name a stage that comes after it.' : `${at}now, with a reason: ${now}`,
  });
}

const usage = (message: string): PortolanError =>
  new PortolanError('USAGE', message, { hint: 'See: portolan promote start --help' });
