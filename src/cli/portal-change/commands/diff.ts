import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { DocumentKind } from '../../../model/portal-change/change';
import { countOf, shellWord } from '../../../model/text/words';
import { changesTable } from '../../../service/run/changes-sheet';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { documentName, readDocument } from '../../terminal/documents';
import { examples } from '../../terminal/help';

/** `portolan settings diff`: compares a file with a portal; writes nothing. */
export const settingsDiffCommand = () =>
  diffCommand(
    'settings',
    "Compare a portal's settings with a file (read-only).\n\nExits 20 if they differ. If the file comes from an older version, shows what the upgrade dropped.",
  ).addHelpText(...examples('production settings.yaml'));

/** `portolan category-schema diff`: shows what applying this file would change. */
export const categorySchemaDiffCommand = () =>
  diffCommand(
    'category-schema',
    "Compare a portal's category schema with a file (read-only).\n\nExits 20 if they differ.",
  ).addHelpText(...examples('production schema.yaml'));

const diffCommand = (kind: DocumentKind, description: string) =>
  new Command('diff')
    .description(description)
    .argument('<portal>', argumentHelp.portal)
    .argument('<file>', argumentHelp.inputFile)
    .action(
      act(async ({ portolan, output }, portal, file) => {
        const { has, fileHas, ...found } = await portolan.diffDocument({
          portal,
          kind,
          content: readDocument(file),
        });
        const { differences, exported, warnings } = found;
        for (const warning of warnings) output.warn(warning);
        if (has !== undefined) output.note(`${portal} has ${has}, ${documentName(file)} ${fileHas}.\n`);
        const isSame = differences.length === 0;
        const status = isSame ? exitStatus.done : exitStatus.differences;
        output.show({ portal: found.portal, file, exported, differences, warnings }, () =>
          isSame ? `${portal} matches ${documentName(file)}.` : [changesTable(differences, [portal, 'File'])],
        );
        const dropped = differences.flatMap(({ path, isDropped }) => (isDropped ? [path] : []));
        if (dropped.length > 0)
          output.note(`\nThe upgrade dropped ${dropped.join(', ')}. To restore them, apply the file again.`);
        if (!isSame)
          output.note(
            `\n${countOf(differences.length, 'difference')}.  Target: unchanged.  Exit status ${status}.\nnext     portolan ${kind} apply ${portal} ${shellWord(file)}`,
          );
        return status;
      }),
    );
