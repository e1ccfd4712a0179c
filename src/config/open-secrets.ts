import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { GuardResult } from '../model/run/run';
import type { Config } from './config';

/** Read permissions of group and others. */
const OTHERS_READ = 0o044;

/**
 * A warning if the file contains a secret and others can read it; undefined if not, or if the system has no such
 * permissions.
 * @param file where it was read from
 */
export async function openSecrets(config: Config, file = config.path): Promise<GuardResult | undefined> {
  const inline = config.notify.flatMap((each) =>
    'webhook' in each && each.webhook.isInline ? [`${each.setting}.webhook`] : [],
  );
  if (inline.length === 0 || process.platform === 'win32') return undefined;
  const mode = (await stat(file)).mode & 0o777;
  if ((mode & OTHERS_READ) === 0) return undefined;
  const name = path.basename(config.path);
  return {
    name: 'configuration',
    verdict: 'unknown',
    saw: `${config.path} contains the address of ${inline.join(', ')}, and users other than its owner can read it (mode ${mode.toString(8).padStart(4, '0')})`,
    needs:
      'a file only its owner can read, or the address kept as a secret; anyone who knows it can post there',
    todo: `chmod 600 ${name}, or write webhook: { file: PATH } or { env: NAME } there`,
  };
}
