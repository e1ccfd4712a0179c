import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { resolveRoute } from '../../../config/resolve-route';
import { Policy } from '../../../domain/policy/policy';
import { exitStatus, isErrorCode, meaningOf } from '../../../model/errors/error-codes';
import type { GuardResult } from '../../../model/run/guard';
import { openStore } from '../../../store/open-store';
import { portalsOf } from '../../terminal/words';
import { perform } from '../../terminal/globals';
import type { Output } from '../../terminal/output';
import { guardBlock, guardWords } from '../../run/render/guards';

/** `portolan doctor`: every guard, outside of any run, without a write on a portal. */
export const doctorCommand = () =>
  new Command('doctor')
    .summary('every check, writes nothing on a portal')
    .description(
      'Runs every guard without writing anything on a portal: of one route, or of every portal. Signs in with the secrets of portolan.yaml as they are readable here; a worker elsewhere has its own.',
    )
    .argument('[route]', 'name of a route; without it every portal is looked at')
    .action((routeName, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const results = await examine(config, routeName, output);
        output.show(results, (style) => `${guardBlock(results, style)}\n\n${ending(results, routeName)}`);
        return statusOf(results);
      }),
    );

async function examine(
  config: Config,
  routeName: string | undefined,
  output: Output,
): Promise<GuardResult[]> {
  const [{ openSecrets }, { PortalPool }, { examineControl, examinePortal, examineRoute, examineTemporal }] =
    await Promise.all([
      import('../../../config/open-secrets.js'),
      import('../../../config/portal-pool.js'),
      import('../examination.js'),
    ]);
  const route = routeName === undefined ? undefined : resolveRoute(config, { route: routeName });
  const secrets = await openSecrets(config);
  output.note(route === undefined ? `${config.path}: every portal` : `${config.path}: route ${route.name}`);
  const portals = new PortalPool(config);
  const store = openStore(config);
  const examination = { portals, store, policy: new Policy(config, store) };
  try {
    const results: GuardResult[] = secrets ? [secrets] : [];
    if (route !== undefined) results.push(...(await examineRoute(route, examination)));
    else for (const name of config.portals.keys()) results.push(...(await examinePortal(name, examination)));
    return [
      ...results,
      ...(await examineControl(config)),
      ...(await examineTemporal(config, route ? portalsOf(route) : [...config.portals.keys()])),
    ];
  } finally {
    await portals.close();
  }
}

function ending(results: readonly GuardResult[], routeName: string | undefined): string {
  const refused = results.some(({ verdict }) => verdict === 'refuse');
  const next = refused || routeName === undefined ? '' : `\nnext     portolan diff ${routeName}`;
  return `${guardWords(results)}.  Target: untouched.  Exit status ${statusOf(results)}.${next}`;
}

/** The status of the first refusal. */
function statusOf(results: readonly GuardResult[]): number {
  const refusal = results.find(({ verdict }) => verdict === 'refuse');
  if (refusal === undefined) return exitStatus.done;
  const { code } = refusal;
  return code !== undefined && isErrorCode(code) ? meaningOf(code).exit : exitStatus.failed;
}
