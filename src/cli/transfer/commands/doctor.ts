import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import type { Examined } from '../../../contract/routes';
import { exitStatus, isErrorCode, meaningOf } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { GuardResult } from '../../../model/run/run';
import type { Sheet } from '../../../model/text/sheet';
import { guardTable, guardWords } from '../../../service/run/guards-sheet';
import { openStore } from '../../../store/open-store';
import { act } from '../../terminal/act';
import type { Globals } from '../../terminal/globals';
import type { Output } from '../../terminal/output';
import { examples } from '../../terminal/help';

/** `portolan doctor`: every preflight check outside of a run; writes nothing on a portal. */
export const doctorCommand = () =>
  new Command('doctor')
    .description(
      'Run preflight checks (no portal writes).\n\nChecks a route, a pipeline or every portal, with the secrets of this machine or, if a server is configured, of that server. Workers elsewhere have their own secrets.',
    )
    .addHelpText(...examples('transport', '--cluster'))
    .argument('[route]', 'Route or pipeline (default: every portal)')
    .option(
      '--cluster',
      'Check Temporal and its permissions, workers, clocks, store and API instead of portals; run it where a worker is configured',
    )
    .action(
      act(async ({ portolan, output, globals }, name, { cluster = false }) => {
        if (cluster) {
          if (name !== undefined) throw noRoute();
          return await showCluster(output, globals);
        }
        const say = (words: string): void => output.note(`${portolan.place.words}: ${words}`);
        const examined = await portolan.examine({ name }, { say });
        return show(output, examined.results, nextOf(examined));
      }),
    );

async function showCluster(output: Output, globals: Globals): Promise<number> {
  const config = loadConfig(globals.config);
  const { examineCluster } = await import('../../../service/transfer/cluster.js');
  output.note(`${config.path}: Temporal, workers, store`);
  return show(output, await examineCluster({ config, store: openStore(config) }), undefined);
}

/** @param next what to type once all is well */
function show(output: Output, results: readonly GuardResult[], next: string | undefined): number {
  output.show(results, () => [guardTable(results), ...ending(results, next)]);
  return statusOf(results);
}

const noRoute = (): PortolanError =>
  new PortolanError('USAGE', '--cluster takes no route.', {
    hint: 'Run them separately: portolan doctor --cluster, portolan doctor ROUTE',
  });

/** The next command once all checks pass. */
const nextOf = ({ of, name }: Examined): string | undefined => {
  if (of === 'portals') return undefined;
  return of === 'pipeline' ? `portolan release create ${name}` : `portolan diff ${name}`;
};

function ending(results: readonly GuardResult[], next: string | undefined): Sheet {
  const refused = results.some(({ verdict }) => verdict === 'refuse');
  return [
    {
      title: `${guardWords(results)}. Target: unchanged. Exit status ${statusOf(results)}.`,
      facts: refused || next === undefined ? [] : [['next', { command: next }]],
    },
  ];
}

/** Exit status of the first failed check. */
function statusOf(results: readonly GuardResult[]): number {
  const refusal = results.find(({ verdict }) => verdict === 'refuse');
  if (refusal === undefined) return exitStatus.done;
  const { code } = refusal;
  return code !== undefined && isErrorCode(code) ? meaningOf(code).exit : exitStatus.failed;
}
