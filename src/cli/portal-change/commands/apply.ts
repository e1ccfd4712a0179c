import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { PortolanError } from '../../../model/errors/errors';
import { argumentHelp, reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { categoryForm } from '../category-form';
import { changePortal } from '../change-portal';
import {
  confirmDocument,
  type DocumentForm,
  readFormFile,
  readReplaced,
  withDocument,
} from '../document-form';
import { settingsForm } from '../settings-form';
import { examples } from '../../terminal/help';

/** `portolan settings apply`: applies a file or saved values to a portal's settings. */
export const settingsApplyCommand = () =>
  applyCommand(
    settingsForm,
    "Apply a file to a portal's settings.\n\nShows the changes, asks, saves the current settings, writes each object whole and reads it back. Settings missing from the file stay; null clears one.",
  ).addHelpText(...examples('production settings.yaml --yes', 'production --saved latest --yes'));

/** `portolan category-schema apply`: replaces a portal's category schema with a file or with saved values. */
export const categorySchemaApplyCommand = () =>
  applyCommand(
    categoryForm,
    "Replace a portal's category schema with a file.\n\nShows the changes, asks, saves the current schema, writes the new one and reads it back. Items keep their categories.",
  ).addHelpText(...examples('production schema.yaml --yes', 'production --saved latest --yes'));

const applyCommand = <T>(form: DocumentForm<T>, description: string) =>
  new Command('apply')
    .description(description)
    .argument('<portal>', argumentHelp.portal)
    .argument('[file]', argumentHelp.inputFile)
    .option('--saved <run>', `Restore the ${form.document.title} this run replaced, instead of a file`)
    .option('--yes', 'Do not ask')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((portal, file, { saved, yes, ...options }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const { kind, document } = form;
        if ((file === undefined) === (saved === undefined))
          throw new PortolanError('USAGE', 'Give either a file or --saved RUN.', {
            hint: `See: portolan ${kind} apply --help`,
          });
        const read = file === undefined ? undefined : readFormFile(form, file);
        const change = { kind, operation: 'apply', portal, asked: { desired: read?.wanted, saved } };
        return changePortal(config, output, { ...change, ...options }, async (sources, runId) => {
          const { store } = sources;
          const wanted = read ?? {
            wanted: await readReplaced(form, sources, portal, saved ?? ''),
            warnings: [],
          };
          return await withDocument(config, portal, document, (found) => {
            form.requireApplicable(found, wanted.wanted);
            return confirmDocument(form, found, wanted, { yes, output, store, runId });
          });
        });
      }),
    );
