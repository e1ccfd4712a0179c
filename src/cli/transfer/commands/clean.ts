import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPortal } from '../../../config/resolve-route';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { type Sheet, tableOf } from '../../../model/text/sheet';
import { itemSizeWords } from '../../../model/text/words';
import { perform } from '../../terminal/globals';
import type { Leftover } from '../../../domain/transfer/own-packages';
import { withSources } from '../../../service/run/run-sources';
import { examples } from '../../terminal/help';

/** `portolan clean`: lists packages left by ended runs, and removes them with --yes. */
export const cleanCommand = () =>
  new Command('clean')
    .description(
      'Remove packages left behind by ended runs.\n\nLists packages of ended runs that have the tag "portolan" and belong to the configured account. Removes them only with --yes. Packages of other task queues stay.',
    )
    .addHelpText(...examples('', 'production --yes'))
    .argument('[portal]', 'Portal in portolan.yaml (default: all)')
    .option('--yes', 'Remove the packages')
    .action((portalName, options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const names =
          portalName === undefined ? [...config.portals.keys()] : [findPortal(config, portalName).name];
        const [{ PortalPool }, { Policy }, leftovers, { packageState }] = await Promise.all([
          import('../../../config/portal-pool.js'),
          import('../../../domain/policy/policy.js'),
          import('../../../domain/transfer/own-packages.js'),
          import('../../../service/run/lookup/package-state.js'),
        ]);
        const { findLeftovers, removeLeftovers } = leftovers;
        return withSources(config, async (sources) => {
          const stateOf = (runId: string) => packageState(sources, runId);
          const policy = new Policy(config);
          const portals = new PortalPool(config);
          try {
            const all: Leftover[] = [];
            const unread: string[] = [];
            const errors: PortolanError[] = [];
            const fail = (thrown: unknown): void => {
              const error = PortolanError.from(thrown);
              output.warnOf(error);
              errors.push(error);
            };
            // An unreachable portal must not prevent cleaning the others.
            for (const name of names) {
              let found: readonly Leftover[] = [];
              try {
                if (options.yes) await policy.require({ writer: 'leftovers', target: { portal: name } });
                const portal = portals.open(name);
                found = await findLeftovers(portal, stateOf);
                all.push(...(options.yes ? await removeLeftovers(portal, found, fail) : found));
              } catch (thrown) {
                fail(thrown);
                if (found.length === 0) unread.push(name);
                all.push(...found);
              }
            }
            output.showList(all, () => leftoverSheet(all, { portals: names, unread }));
            const left = all.filter(({ state, removed }) => state === 'left over' && !removed).length;
            if (left > 0 && !options.yes)
              output.note(
                `\nNo packages removed. To remove ${left}: portolan clean${portalName === undefined ? '' : ` ${portalName}`} --yes`,
              );
            const [first] = errors;
            if (!first) return exitStatus.done;
            return names.length === 1 ? first.meaning.exit : exitStatus.failed;
          } finally {
            await portals.close();
          }
        });
      }),
    );

/** Packages created by Portolan, one per row, and the portals that have none or could not be read. */
const leftoverSheet = (
  leftovers: readonly Leftover[],
  { portals, unread }: { portals: readonly string[]; unread: readonly string[] },
): Sheet => [
  tableOf(leftovers, [
    ['Portal', ({ portal }) => portal],
    ['Package', ({ itemId }) => itemId],
    ['Title', ({ title }) => title],
    ['Size', ({ size }) => itemSizeWords(size)],
    ['Created', ({ created }) => (created === undefined ? '?' : { time: created })],
    ['Run', ({ runId }) => runId ?? '?'],
    ['State', ({ removed, state }) => (removed ? 'removed' : state)],
  ]),
  {
    facts: portals
      .filter((name) => leftovers.every(({ portal }) => portal !== name))
      .map((name) => [name, unread.includes(name) ? 'not read' : 'none']),
  },
];
