import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPortal, isSamePortal } from '../../../config/resolve-route';
import { type HostMap, hostPair, promotionOf } from '../../../domain/portal-change/settings-promotion';
import { readPortalFacts } from '../../../domain/transfer/portal-facts';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { changePortal } from '../change-portal';
import { confirmDocument, withDocument } from '../document-form';
import { settingsForm } from '../settings-form';
import { examples } from '../../terminal/help';

/** `portolan settings promote`: copies the settings of one portal to another. */
export const settingsPromoteCommand = () =>
  new Command('promote')
    .description(
      "Copy the settings of one portal to another.\n\nWorks like 'settings apply'. Settings that name a host, such as surveyUrl, are skipped and listed unless --map covers the host.",
    )
    .addHelpText(
      ...examples(
        'staging production --yes',
        'staging production --map survey.staging.example.com=survey.example.com --yes',
      ),
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
    .action((from, portal, { map = new Map(), yes, ...options }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        if (isSamePortal(findPortal(config, from), findPortal(config, portal)))
          throw new PortolanError('SAME_PORTAL', `${from} and ${portal} are the same portal.`, {
            hint: 'Choose two portals.',
          });
        const { kind, document } = settingsForm;
        // Not the values: those of the source may have changed when a request is repeated.
        const change = { kind, operation: 'promote', portal, from, asked: { hosts: [...map] } };
        return changePortal(config, output, { ...change, ...options }, async ({ store }, runId) => {
          const { desired: wanted, left: warnings } = await withDocument(
            config,
            from,
            document,
            async ({ value }, source) => promotionOf(value, (await readPortalFacts(source)).addresses, map),
          );
          return await withDocument(config, portal, document, (found) =>
            confirmDocument(settingsForm, found, { wanted, warnings }, { yes, output, store, runId }),
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
