import { existsSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { bytesText, shellWord } from '../../../model/text/words';
import { withReadableSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { writeDocument } from '../../terminal/documents';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** File mode. */
const OWNER_ONLY = 0o600;

/** `portolan run bundle`: writes a support bundle. */
export const runBundleCommand = () =>
  new Command('bundle')
    .description(
      'Write a support bundle for a run.\n\nThe file holds the records of the run and its child runs, plan, results, history, log lines, versions, and the configuration without secrets. Run this where a worker is configured. To open the file anywhere: portolan run show --bundle FILE',
    )
    .addHelpText(...examples('latest', 'k7q2 for-support.json.gz --force'))
    .argument('<run>', argumentHelp.run)
    .argument('[file]', 'Output file (default: RUN.portolan-bundle.json.gz)')
    .option('--force', 'Overwrite an existing file')
    .action((text, named, { force = false }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const [{ makeBundle }, { bundleName, packBundle }] = await Promise.all([
          import('../../../service/support/make-bundle.js'),
          import('../../../service/support/bundle-file.js'),
        ]);
        const bundle = await withReadableSources(config, (sources) => makeBundle(sources, text));
        const { run, inside } = bundle;
        const file = named ?? bundleName(run);
        if (!force && existsSync(file)) throw alreadyExists(file);
        const content = await packBundle(bundle);
        await writeDocument(file, content, OWNER_ONLY);
        const sizeBytes = content.length;
        output.show({ run, file, sizeBytes, inside }, () => [
          {
            title: `bundled ${run}`,
            facts: [['file', `${file}, ${bytesText(sizeBytes)}, readable only by you`]],
          },
          { lines: inside },
          {
            facts: [
              ['inspect', { command: `gunzip -c ${shellWord(file)} | less` }],
              ['view', { command: `portolan run show --bundle ${shellWord(file)}` }],
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );

const alreadyExists = (file: string): PortolanError =>
  new PortolanError('USAGE', `${file} already exists.`, {
    hint: 'Choose another file, or replace it with: --force',
  });
