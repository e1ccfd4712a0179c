import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { type HostMap, hostPair } from '../../../domain/portal-change/settings-promotion';
import { act } from '../../terminal/act';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { changeDocument } from '../change-document';
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
    .action(
      act((session, from, portal, { map = new Map(), ...options }) =>
        changeDocument(session, { portal, kind: 'settings', from, hosts: Object.fromEntries(map) }, options),
      ),
    );

function mapArgument(text: string, before: HostMap = new Map<string, string>()): HostMap {
  const pair = hostPair(text);
  if (pair === undefined)
    throw new InvalidArgumentError('Write two hosts, such as staging.example.com=example.com.');
  return new Map([...before, pair]);
}
