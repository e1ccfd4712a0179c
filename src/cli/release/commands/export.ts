import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findRelease } from '../../../domain/resolve-id';
import { openSnapshots } from '../../../domain/snapshot/snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { bytesText } from '../../../model/text/words';
import { perform } from '../../terminal/globals';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan release export`: writes a release to a signed file, for another store. */
export const releaseExportCommand = () =>
  new Command('export')
    .description(
      'Export a release to a signed file.\n\nThe file is a tar archive with its snapshots, settings and categories, for import into another store.',
    )
    .addHelpText(...examples('latest:traffic --to traffic.release --key key'))
    .argument('<release>', argumentHelp.release)
    .requiredOption('--to <file>', 'New file')
    .requiredOption('--key <file>', "Ed25519 private key (PEM) of 'snapshot keygen'")
    .action((text, { to, key }, command) =>
      perform(command, async (output, globals) => {
        const [{ exportRelease }, { readSigningKey }] = await Promise.all([
          import('../../../domain/archive/export-archive.js'),
          import('../../../domain/archive/signing-keys.js'),
        ]);
        const snapshots = openSnapshots(loadConfig(globals.config));
        const signingKey = await readSigningKey(key);
        const written = await exportRelease(
          snapshots,
          await findRelease(snapshots.releases, text),
          to,
          signingKey,
        );
        output.show(written, () => [
          {
            facts: [
              ['exported', written.id],
              ['groups', written.groups],
              ['sha256', written.sha256],
              ['file', written.file],
              ['size', bytesText(written.sizeBytes)],
              ['signed', `with key ${written.keySha256}`],
              ['import', `portolan release import ${written.file} --trust PUBLIC_KEY`],
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );
