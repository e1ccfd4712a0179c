import { Command } from '@commander-js/extra-typings';
import { exitStatus, isErrorCode, meaningOf } from '../../../model/errors/error-codes';
import type { GuardResult } from '../../../model/run/guard';
import type { Examined } from '../../../service/transfer/examined-view';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { guardBlock, guardWords } from '../../run/render/guards';

/** `portolan doctor`: every guard, outside of any run, without a write on a portal. */
export const doctorCommand = () =>
  new Command('doctor')
    .summary('every check, writes nothing on a portal')
    .description(
      'Runs every guard without writing anything on a portal: of one route, of one pipeline, or of every portal. Signs in with the secrets of portolan.yaml as they are readable here, or for the server that is asked; a worker elsewhere has its own.',
    )
    .argument('[route]', 'name of a route or pipeline; without it every portal is looked at')
    .action((routeName, _options, command) =>
      perform(command, (output, globals) =>
        withStoredPortolan(globals, async ({ routes, place }) => {
          const examined = await routes.examine(routeName, (of) =>
            output.note(`${place.words}: ${whatWords(of)}`),
          );
          const { results } = examined;
          output.show(
            results,
            (style) => `${guardBlock(results, style)}\n\n${ending(results, nextOf(examined))}`,
          );
          return statusOf(results);
        }),
      ),
    );

const whatWords = ({ of, name }: Omit<Examined, 'results'>): string =>
  of === 'portals' ? 'every portal' : `${of} ${name}`;

/** What to type once all is well. */
const nextOf = ({ of, name }: Examined): string | undefined => {
  if (of === 'portals') return undefined;
  return of === 'pipeline' ? `portolan release create ${name}` : `portolan diff ${name}`;
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
