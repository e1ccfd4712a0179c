import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { openSnapshots } from '../../../domain/snapshot/snapshots';
import { repeated } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { timeWords } from '../../../model/text/words';

/** `portolan snapshot import`: imports a snapshot from a signed file. */
export const snapshotImportCommand = () =>
  new Command('import')
    .description(
      'Import a snapshot from a signed file.\n\nImports nothing unless every byte matches the signature.',
    )
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
        output.show({ snapshot: manifest, wasThere, keySha256 }, () =>
          [
            `${wasThere ? 'exists   ' : 'imported '}${manifest.id}`,
            `route    ${manifest.route}, taken ${timeWords(manifest.takenAt)}, ${manifest.rows.saved} items`,
            `signed   with key ${keySha256}`,
            `details  portolan snapshot show ${manifest.id}`,
          ].join('\n'),
        );
        return exitStatus.done;
      }),
    );
