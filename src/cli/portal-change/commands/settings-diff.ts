import { oneLine } from '../../../model/text/plain-text';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { settingConcerns, upgradeLosses } from '../../../domain/portal-change/setting-concerns';
import { settingChanges } from '../../../domain/portal-change/setting-values';
import { requireSupported } from '../../../domain/portal-change/settings';
import { perform } from '../../terminal/globals';
import { withLiveSettings } from '../live-settings';
import { documentName } from '../../terminal/documents';
import { differencesTable } from '../../run/render/differences';
import { countOf, shellWord } from '../../../model/text/words';
import { plainChanges } from '../set-settings';
import { settingsOf } from '../desired-settings';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan settings diff`: compares a file with a portal; writes nothing. */
export const settingsDiffCommand = () =>
  new Command('diff')
    .description(
      "Compare a portal's settings with a file (read-only).\n\nExits 20 if they differ. If the file comes from an older version, shows what the upgrade dropped.",
    )
    .argument('<portal>', argumentHelp.portal)
    .argument('<file>', argumentHelp.inputFile)
    .action((portalName, file, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { desired, exported, warnings } = settingsOf(file);
        return withLiveSettings(config, portalName, (live) => {
          requireSupported(live, desired);
          const changes = settingChanges(live.value, desired);
          const { dropped, notes } = upgradeLosses(changes, exported?.version, live.version);
          const concerns = [...warnings, ...settingConcerns(live.value, desired), ...notes];
          for (const words of concerns) output.note(output.side.colors.yellow(`warning  ${oneLine(words)}`));
          const status = changes.length === 0 ? exitStatus.done : exitStatus.differences;
          output.show(
            {
              portal: { portal: live.name, url: live.url, version: live.version?.text },
              exported,
              differences: plainChanges(changes).map((change) => ({
                ...change,
                isDropped: dropped.includes(change.path),
              })),
              warnings: concerns,
            },
            (style) =>
              changes.length === 0
                ? `${portalName} matches ${documentName(file)}.`
                : differencesTable(changes, style, [portalName.toUpperCase(), 'FILE']),
          );
          if (dropped.length > 0)
            output.note(
              `\nThe upgrade dropped ${dropped.join(', ')}. To restore them, apply the file again.`,
            );
          if (changes.length > 0)
            output.note(
              `\n${countOf(changes.length, 'difference')}.  Target: unchanged.  Exit status ${status}.\nnext     portolan settings apply ${portalName} ${shellWord(file)}`,
            );
          return Promise.resolve(status);
        });
      }),
    );
