import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export const encryptionKey = '0123456789abcdef0123456789abcdef';

/** A portolan.yaml with a store in a folder of its own. */
export function localSite({ encrypted = false } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-store-'));
  const config = path.join(folder, 'portolan.yaml');
  writeFileSync(path.join(folder, 'encryption'), encryptionKey);
  const encryption = encrypted ? ', encryption: { key: { file: ./encryption } }' : '';
  writeFileSync(config, `portals: {}\nstore: { path: ./store${encryption} }\n`);
  return Promise.resolve({
    folder: path.join(folder, 'store'),
    config,
    close: () => rm(folder, { recursive: true, force: true }),
  });
}
