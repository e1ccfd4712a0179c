import { Command } from '@commander-js/extra-typings';
import type { Config, PipelineConfig } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { resolveRoute } from '../../../config/resolve-route';
import { Policy } from '../../../domain/policy/policy';
import { exitStatus, isErrorCode, meaningOf } from '../../../model/errors/error-codes';
import type { GuardResult } from '../../../model/run/guard';
import type { Route } from '../../../model/transfer/route';
import { openStore } from '../../../store/open-store';
import { portalsOf } from '../../../model/text/words';
import { perform } from '../../terminal/globals';
import type { Output } from '../../terminal/output';
import { guardBlock, guardWords } from '../../run/render/guards';

/** `portolan doctor`: every guard, outside of any run, without a write on a portal. */
export const doctorCommand = () =>
  new Command('doctor')
    .summary('every check, writes nothing on a portal')
    .description(
      'Runs every guard without writing anything on a portal: of one route, of one pipeline, or of every portal. Signs in with the secrets of portolan.yaml as they are readable here; a worker elsewhere has its own.',
    )
    .argument('[route]', 'name of a route or pipeline; without it every portal is looked at')
    .action((routeName, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const results = await examine(config, routeName, output);
        output.show(
          results,
          (style) => `${guardBlock(results, style)}\n\n${ending(results, nextOf(config, routeName))}`,
        );
        return statusOf(results);
      }),
    );

async function examine(
  config: Config,
  routeName: string | undefined,
  output: Output,
): Promise<GuardResult[]> {
  const [
    { openSecrets },
    { PortalPool },
    { examineControl, examinePortal, examineRoute, examineTemporal },
    { examinePipeline },
  ] = await Promise.all([
    import('../../../config/open-secrets.js'),
    import('../../../config/portal-pool.js'),
    import('../examination.js'),
    import('../pipeline-examination.js'),
  ]);
  const pipeline = config.pipelines.get(routeName ?? '');
  const route = routeName === undefined || pipeline ? undefined : resolveRoute(config, { route: routeName });
  const secrets = await openSecrets(config);
  const what = pipeline ? `pipeline ${pipeline.name}` : route ? `route ${route.name}` : 'every portal';
  output.note(`${config.path}: ${what}`);
  const portals = new PortalPool(config);
  const store = openStore(config);
  const examination = { portals, store, policy: new Policy(config, store) };
  try {
    const results: GuardResult[] = secrets ? [secrets] : [];
    if (pipeline) results.push(...(await examinePipeline(config, pipeline, examination)));
    else if (route) results.push(...(await examineRoute(route, examination)));
    else for (const name of config.portals.keys()) results.push(...(await examinePortal(name, examination)));
    return [
      ...results,
      ...(await examineControl(config)),
      ...(await examineTemporal(config, portalsMeant(config, pipeline, route))),
    ];
  } finally {
    await portals.close();
  }
}

/** What to type once all is well. */
const nextOf = (config: Config, name: string | undefined): string | undefined => {
  if (name === undefined) return undefined;
  return config.pipelines.has(name) ? `portolan release create ${name}` : `portolan diff ${name}`;
};

const portalsMeant = (
  config: Config,
  pipeline: PipelineConfig | undefined,
  route: Route | undefined,
): string[] => {
  if (pipeline) return pipeline.stages.map(({ portal }) => portal);
  return route ? portalsOf(route) : [...config.portals.keys()];
};

function ending(results: readonly GuardResult[], next: string | undefined): string {
  const refused = results.some(({ verdict }) => verdict === 'refuse');
  return `${guardWords(results)}.  Target: untouched.  Exit status ${statusOf(results)}.${refused || next === undefined ? '' : `\nnext     ${next}`}`;
}

/** The status of the first refusal. */
function statusOf(results: readonly GuardResult[]): number {
  const refusal = results.find(({ verdict }) => verdict === 'refuse');
  if (refusal === undefined) return exitStatus.done;
  const { code } = refusal;
  return code !== undefined && isErrorCode(code) ? meaningOf(code).exit : exitStatus.failed;
}
