import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { makeKeyPair } from '../../../domain/archive/signing-keys';
import { perform } from '../../terminal/globals';
import { examples } from '../../terminal/help';

/** `portolan snapshot keygen`: creates a key pair for signed files. */
export const snapshotKeygenCommand = () =>
  new Command('keygen')
    .description(
      "Create an Ed25519 key pair for signed files.\n\nFILE is the private key, for 'export --key'. FILE.pub is the public key, for 'import --trust' at the other site.",
    )
    .addHelpText(...examples('key'))
    .argument('<file>', 'New file')
    .action((file, _options, command) =>
      perform(command, async (output) => {
        const { publicFile, keySha256 } = await makeKeyPair(file);
        output.show({ privateFile: file, publicFile, keySha256 }, () => [
          {
            facts: [
              ['private', `${file} (keep it here; only you can read it)`],
              ['public', `${publicFile} (give it to the importer)`],
              ['sha256', `${keySha256} (compare it over another channel)`],
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );
