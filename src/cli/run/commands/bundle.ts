import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { bytesText } from '../../../model/text/bytes-text';
import { withReadableSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { labelled } from '../../terminal/columns';
import { typedWord } from '../../terminal/typed-options';

/** `portolan run bundle`: all that is known of a run, in one file for whoever helps. */
export const runBundleCommand = () =>
  new Command('bundle')
    .description(
      'Writes all that is known of a run into one file, for somebody who helps and has neither its Temporal nor its store: its record and those of its parts, plan, ledger, history, lines of the log, versions, and the configuration without secrets. It is typed where a worker has its configuration; elsewhere it is opened with: portolan run show --bundle FILE',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .argument('[file]', 'where it is written. Without it: RUN.portolan-bundle.json.gz in the working folder')
    .option('--force', 'replaces a file that is there')
    .action((text, named, { force = false }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const [{ makeBundle }, { bundleName, writeBundle }] = await Promise.all([
          import('../../../service/support/make-bundle.js'),
          import('../../../service/support/bundle-file.js'),
        ]);
        const bundle = await withReadableSources(config, (sources) => makeBundle(sources, text));
        const { run, inside } = bundle;
        const file = named ?? bundleName(run);
        const sizeBytes = await writeBundle(file, bundle, force);
        output.show({ run, file, sizeBytes, inside }, (style) =>
          [
            `bundled ${run}`,
            ...labelled([['file', `${file}  ${bytesText(sizeBytes)}, readable only by you`]], style),
            '',
            ...inside.map((line) => `  ${line}`),
            '',
            ...labelled(
              [
                ['inspect', `gunzip -c ${typedWord(file)} | less`],
                ['view', `portolan run show --bundle ${typedWord(file)}`],
              ],
              style,
            ),
          ].join('\n'),
        );
        return exitStatus.done;
      }),
    );
