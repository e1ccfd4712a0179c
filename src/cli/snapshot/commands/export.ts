import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { findSnapshot } from '../../../domain/resolve-id';
import { openSnapshots } from '../../../domain/snapshot/snapshots';
import { perform } from '../../terminal/globals';
import { bytesText } from '../../../model/text/words';
import { argumentHelp, repeated } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan snapshot export`: writes a snapshot to a signed file, for another store. */
export const snapshotExportCommand = () =>
  new Command('export')
    .description(
      'Export a snapshot to a signed file.\n\nThe file is a tar archive with everything the snapshot needs, for import into another store.',
    )
    .addHelpText(...examples('latest:transport transport.snapshot --key key'))
    .argument('<snapshot>', argumentHelp.snapshot)
    .argument('<file>', 'New file')
    .requiredOption('--key <file>', "Ed25519 private key (PEM) of 'snapshot keygen'")
    .action((text, file, { key }, command) =>
      perform(command, async (output, globals) => {
        const [{ exportSnapshot }, { readSigningKey }] = await Promise.all([
          import('../../../domain/archive/export-archive.js'),
          import('../../../domain/archive/signing-keys.js'),
        ]);
        const snapshots = openSnapshots(loadConfig(globals.config));
        const signingKey = await readSigningKey(key);
        const written = await exportSnapshot(
          snapshots,
          await findSnapshot(snapshots, text),
          file,
          signingKey,
        );
        output.show(written, () => [
          {
            facts: [
              ['exported', written.id],
              ['file', written.file],
              ['size', bytesText(written.sizeBytes)],
              ['signed', `with key ${written.keySha256}`],
              ['import', `portolan snapshot import ${written.file} --trust PUBLIC_KEY`],
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );

/** `portolan snapshot import`: imports a snapshot from a signed file. */
export const snapshotImportCommand = () =>
  new Command('import')
    .description(
      'Import a snapshot from a signed file.\n\nImports nothing unless every byte matches the signature.',
    )
    .addHelpText(...examples('transport.snapshot --trust key.pub'))
    .argument('<file>', "File written by 'snapshot export'")
    .requiredOption('--trust <file>', 'Trusted Ed25519 public key, PEM (repeatable)', repeated)
    .action((file, { trust }, command) =>
      perform(command, async (output, globals) => {
        const [{ importSnapshot }, { readTrustedKey }] = await Promise.all([
          import('../../../domain/archive/import-archive.js'),
          import('../../../domain/archive/signing-keys.js'),
        ]);
        const snapshots = openSnapshots(loadConfig(globals.config));
        const trusted = await Promise.all(trust.map(readTrustedKey));
        const { manifest, wasThere, keySha256 } = await importSnapshot(snapshots, file, trusted);
        output.show({ snapshot: manifest, wasThere, keySha256 }, () => [
          {
            facts: [
              [wasThere ? 'exists' : 'imported', manifest.id],
              ['route', manifest.route],
              ['taken', { time: manifest.takenAt }],
              ['items', manifest.rows.saved],
              ['signed', `with key ${keySha256}`],
              ['details', `portolan snapshot show ${manifest.id}`],
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );
