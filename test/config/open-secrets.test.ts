import { describe, expect, it } from '@jest/globals';
import { aConfig } from '../support/config';
import { aFolder } from '../support/folder';
import { chmodSync } from 'node:fs';
import { openSecrets } from '../../src/service/transfer/examine';

const folder = aFolder();

/** What is warned of where the file has these receivers and rights. */
async function warned(notify: string, mode: number) {
  const auth = 'auth: { type: token, token: { env: TOKEN } }';
  const portals = `{ staging: { url: https://gis.example.com/portal/sharing/rest, ${auth} } }`;
  const config = aConfig(`portals: ${portals}\nnotify: ${notify}\n`, folder);
  chmodSync(config.path, mode);
  return openSecrets(config);
}

const inline = '[ { command: [ echo ] }, { webhook: "https://chat.example.com/hooks/T0K3N" } ]';

describe('a webhook address in portolan.yaml', () => {
  it('is a warning when other users can read the file', async () => {
    const warning = await warned(inline, 0o640);
    expect(warning).toEqual({
      name: 'configuration',
      verdict: 'unknown',
      saw: `${folder}/portolan.yaml contains the address of notify.1.webhook, and users other than its owner can read it (mode 0640)`,
      needs:
        'a file only its owner can read, or the address kept as a secret; anyone who knows it can post there',
      todo: 'chmod 600 portolan.yaml, or write webhook: { file: PATH } or { env: NAME } there',
    });
    expect(JSON.stringify(warning)).not.toContain('T0K3N');
    expect(await warned(inline, 0o604)).toMatchObject({ verdict: 'unknown' });
  });

  it('is no warning when only its owner can read the file, or as a secret', async () => {
    expect(await warned(inline, 0o600)).toBeUndefined();
    expect(await warned('[ { webhook: { env: HOOK } } ]', 0o644)).toBeUndefined();
    expect(await warned('[]', 0o644)).toBeUndefined();
  });
});
