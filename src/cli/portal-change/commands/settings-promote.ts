import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPortal, isSamePortal } from '../../../config/resolve-route';
import { PortolanError } from '../../../model/errors/errors';
import { type HostMap, hostPair, promotionOf } from '../../../domain/portal-change/settings-promotion';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { setSettings } from '../set-settings';
import { portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { withSources } from '../../../service/run/run-sources';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan settings promote`: copies the settings of one portal to another. */
export const settingsPromoteCommand = () =>
  new Command('promote')
    .description(
      "Copy the settings of one portal to another.\n\nWorks like 'settings apply'. Settings that name a host, such as surveyUrl, are skipped and listed unless --map covers the host.",
    )
    .argument('<from>', 'Source portal in portolan.yaml')
    .argument('<to>', 'Target portal in portolan.yaml')
    .option(
      '--map <host=host>',
      'Replace the first host with the second, or map a host to itself (repeatable)',
      mapArgument,
    )
    .option('--yes', 'Do not ask')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
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
          const { desired, left } = await withLiveSettings(config, fromName, async ({ value }, source) => {
            const { readPortalFacts } = await import('../../../domain/transfer/portal-facts.js');
            return promotionOf(value, (await readPortalFacts(source)).addresses, map);
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
