import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPortal, isSamePortal } from '../../../config/resolve-route';
import { PortolanError } from '../../../model/errors/errors';
import { type HostMap, hostPair, promotionOf } from '../../../domain/portal-change/settings/promotion';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { setSettings } from '../set-settings';
import { changeRequest, changeTimeout } from '../run-change';
import { portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { withSources } from '../../../service/run/run-sources';

/** `portolan settings promote`: the settings of one portal become those of another. */
export const settingsPromoteCommand = () =>
  new Command('promote')
    .description(
      "Gives one portal the settings of another, as far as they name no host: shows what changes, asks, saves what is there, writes each object whole, and reads it back. What names a host, such as surveyUrl, is left out and named, unless its host is mapped; the target's own then stays.",
    )
    .argument('<from>', 'portal of portolan.yaml whose settings these are')
    .argument('<to>', 'portal of portolan.yaml that gets them')
    .option(
      '--map <host=host>',
      'carries what names the first host with the second in its place; can be repeated, and a host can be mapped to itself',
      mapArgument,
    )
    .option('--yes', 'do it without asking')
    .addOption(changeTimeout())
    .addOption(changeRequest())
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .action((fromName, toName, { map = new Map(), yes, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const [from, portal] = [portalRefOf(config, fromName), portalRefOf(config, toName)];
        if (isSamePortal(findPortal(config, fromName), findPortal(config, toName))) {
          throw new PortolanError('SAME_PORTAL', `${fromName} and ${toName} are the same portal.`, {
            hint: 'Choose two portals.',
          });
        }
        return withSources(config, async (sources) => {
          await requireAbleWorkers(sources, [fromName, toName]);
          const { desired, left } = await withLiveSettings(config, fromName, async ({ live }, source) => {
            const { readPortalFacts } = await import('../../../domain/transfer/portal-facts.js');
            return promotionOf(live, (await readPortalFacts(source)).addresses, map);
          });
          return withLiveSettings(config, toName, (target) =>
            setSettings(sources, output, target, {
              operation: 'promote',
              portal,
              from,
              desired,
              warnings: left,
              yes,
              reason,
              timeoutMs,
              requestId,
              hosts: [...map],
            }),
          );
        });
      }),
    );

function mapArgument(text: string, before: HostMap = new Map<string, string>()): HostMap {
  const pair = hostPair(text);
  if (pair === undefined)
    throw new InvalidArgumentError('Write two hosts, such as staging.example.com=example.com.');
  return new Map([...before, pair]);
}
