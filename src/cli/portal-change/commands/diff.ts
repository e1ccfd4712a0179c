import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exportedOf } from '../../../domain/portal-change/settings-file';
import { exitStatus } from '../../../model/errors/error-codes';
import { countOf, shellWord } from '../../../model/text/words';
import { changesTable } from '../../../service/run/changes-sheet';
import { argumentHelp } from '../../terminal/arguments';
import { documentName } from '../../terminal/documents';
import { perform } from '../../terminal/globals';
import { categoryForm } from '../category-form';
import { type DocumentForm, readFormFile, withDocument } from '../document-form';
import { settingsForm } from '../settings-form';
import { examples } from '../../terminal/help';

/** `portolan settings diff`: compares a file with a portal; writes nothing. */
export const settingsDiffCommand = () =>
  diffCommand(
    settingsForm,
    "Compare a portal's settings with a file (read-only).\n\nExits 20 if they differ. If the file comes from an older version, shows what the upgrade dropped.",
  ).addHelpText(...examples('production settings.yaml'));

/** `portolan category-schema diff`: shows what applying this file would change. */
export const categorySchemaDiffCommand = () =>
  diffCommand(
    categoryForm,
    "Compare a portal's category schema with a file (read-only).\n\nExits 20 if they differ.",
  ).addHelpText(...examples('production schema.yaml'));

const diffCommand = <T>(form: DocumentForm<T>, description: string) =>
  new Command('diff')
    .description(description)
    .argument('<portal>', argumentHelp.portal)
    .argument('<file>', argumentHelp.inputFile)
    .action((portal, file, _options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const read = readFormFile(form, file);
        const { wanted, exported } = read;
        return withDocument(config, portal, form.document, (found) => {
          const concerns = form.concerns(found, wanted);
          const { dropped, notes } = form.upgradeLosses?.(found, read) ?? { dropped: [], notes: [] };
          const warnings = [...read.warnings, ...concerns, ...notes];
          for (const warning of warnings) output.warn(warning);
          const has = form.summary;
          if (has) output.note(`${portal} has ${has(found.value)}, ${documentName(file)} ${has(wanted)}.\n`);
          const changes = form.document.differences(found.value, wanted);
          const status = changes.length === 0 ? exitStatus.done : exitStatus.differences;
          const differences = changes.map(({ path, before, after }) => ({
            path,
            before,
            after,
            isDropped: dropped.includes(path),
          }));
          output.show({ portal: exportedOf(found), file, exported, differences, warnings }, () =>
            changes.length === 0
              ? `${portal} matches ${documentName(file)}.`
              : [changesTable(changes, [portal, 'File'])],
          );
          if (dropped.length > 0)
            output.note(
              `\nThe upgrade dropped ${dropped.join(', ')}. To restore them, apply the file again.`,
            );
          if (changes.length > 0)
            output.note(
              `\n${countOf(changes.length, 'difference')}.  Target: unchanged.  Exit status ${status}.\nnext     portolan ${form.kind} apply ${portal} ${shellWord(file)}`,
            );
          return Promise.resolve(status);
        });
      }),
    );
