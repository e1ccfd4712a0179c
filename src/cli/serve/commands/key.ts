import { randomBytes } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import { stringify } from 'yaml';
import { name as nameShape } from '../../../config/file/plain-values';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { examples } from '../../terminal/help';

/** `portolan serve key`: creates an API key; portolan.yaml holds only its hash. Writes nothing. */
export const serveKeyCommand = () =>
  new Command('key')
    .description('Create an API key.\n\nPrints the key, and its hash for portolan.yaml. Stores neither.')
    .addHelpText(...examples('dashboard'))
    .argument('<name>', 'Key name, shown as the identity of its user')
    .action((name, _options, command) =>
      perform(command, async (output) => {
        const { hashOfKey, KEY_BYTES } = await import('../../../serve/access.js');
        const named = nameShape.safeParse(name);
        if (!named.success)
          throw new PortolanError(
            'USAGE',
            `"${name}": ${named.error.issues[0]?.message ?? 'is not a name'}.`,
          );
        const key = randomBytes(KEY_BYTES).toString('base64url');
        const sha256 = hashOfKey(key);
        const lines = stringify({ serve: { keys: { [name]: { sha256 } } } }).trimEnd();
        output.show({ name, key, sha256 }, () => `key  ${key}\n\nin portolan.yaml:\n${lines}`);
        output.note('note  the key is shown only once; anyone who has it can use the server');
        return exitStatus.done;
      }),
    );
