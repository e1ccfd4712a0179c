import { Command } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import type { DocumentKind } from '../../../model/portal-change/change';
import { act } from '../../terminal/act';
import { argumentHelp, reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { readDocument } from '../../terminal/documents';
import { changeDocument } from '../change-document';
import { examples } from '../../terminal/help';

/** `portolan settings apply`: applies a file or saved values to a portal's settings. */
export const settingsApplyCommand = () =>
  applyCommand(
    'settings',
    "Apply a file to a portal's settings.\n\nShows the changes, asks, saves the current settings, writes each object whole and reads it back. Settings missing from the file stay; null clears one.",
  ).addHelpText(...examples('production settings.yaml --yes', 'production --saved latest --yes'));

/** `portolan category-schema apply`: replaces a portal's category schema with a file or with saved values. */
export const categorySchemaApplyCommand = () =>
  applyCommand(
    'category-schema',
    "Replace a portal's category schema with a file.\n\nShows the changes, asks, saves the current schema, writes the new one and reads it back. Items keep their categories.",
  ).addHelpText(...examples('production schema.yaml --yes', 'production --saved latest --yes'));

const applyCommand = (kind: DocumentKind, description: string) =>
  new Command('apply')
    .description(description)
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.inputFile)
    .option('--saved <run>', `Restore the ${kind.replace('-', ' ')} this run replaced, instead of a file`)
    .option('--yes', 'Do not ask')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, portal, file, { saved, ...options }) => {
        if ((file === undefined) === (saved === undefined))
          throw new PortolanError('USAGE', 'Give either a file or --saved RUN.', {
            hint: `See: portolan ${kind} apply --help`,
          });
        const content = file === undefined ? undefined : readDocument(file);
        return changeDocument(session, { portal, kind, content, saved }, options);
      }),
    );
