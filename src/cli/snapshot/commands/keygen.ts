import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { makeKeyPair } from '../../../domain/snapshot/archive/signing-keys';
import { perform } from '../../terminal/globals';

/** `portolan snapshot keygen`: a pair of keys for carrying snapshots to other stores. */
export const snapshotKeygenCommand = () =>
  new Command('keygen')
    .description(
      "Create an Ed25519 key pair for signed files.\n\nFILE is the private key, for 'export --key'. FILE.pub is the public key, for 'import --trust' at the other site.",
    )
    .argument('<file>', 'New file')
    .action((file, _options, command) =>
      perform(command, async (output) => {
        const { publicFile, keySha256 } = await makeKeyPair(file);
        output.show({ privateFile: file, publicFile, keySha256 }, () =>
          [
            `private  ${file}  stays here, readable for you only`,
            `public   ${publicFile}  goes to whoever imports`,
            `sha256   ${keySha256}  to compare it by, over another way`,
          ].join('\n'),
        );
        return exitStatus.done;
      }),
    );
