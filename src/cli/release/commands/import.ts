import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { openSnapshots } from '../../../domain/snapshot/snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { releaseView } from '../../../service/release/release-view';
import { repeated } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { examples } from '../../terminal/help';

/** `portolan release import`: imports a release from a signed file. */
export const releaseImportCommand = () =>
  new Command('import')
    .description(
      'Import a release from a signed file.\n\nImports nothing unless every byte matches the signature.',
    )
    .addHelpText(...examples('traffic.release --trust key.pub'))
    .argument('<file>', "File written by 'release export'")
    .requiredOption('--trust <file>', 'Trusted Ed25519 public key, PEM (repeatable)', repeated)
    .option('--history', 'Also import its history: stages it reached at the other site count as reached')
    .action((file, { trust, history }, command) =>
      perform(command, async (output, globals) => {
        const [{ importRelease }, { readTrustedKey }] = await Promise.all([
          import('../../../domain/archive/import-archive.js'),
          import('../../../domain/archive/signing-keys.js'),
        ]);
        const snapshots = openSnapshots(loadConfig(globals.config));
        const trusted = await Promise.all(trust.map(readTrustedKey));
        const { manifest, wasThere, keySha256, stages } = await importRelease(snapshots, file, trusted, {
          history,
        });
        output.show({ release: releaseView({ manifest }), wasThere, keySha256, stages }, () => [
          {
            facts: [
              [wasThere ? 'exists' : 'imported', manifest.id],
              ['pipeline', manifest.pipeline],
              ['created', { time: manifest.createdAt }],
              ['groups', manifest.groups.length],
              ['sha256', manifest.sha256],
              ['signed', `with key ${keySha256}`],
              ['history', stages.length > 0 ? `of ${stages.join(', ')}` : undefined],
              ['details', `portolan release show ${manifest.id}`],
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );
