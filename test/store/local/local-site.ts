import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { aFolder } from '../../support/folder';

export const encryptionKey = '0123456789abcdef0123456789abcdef';

/** A portolan.yaml with a store in a folder of its own. */
export function localSite({ encrypted = false } = {}) {
  const folder = aFolder();
  const config = path.join(folder, 'portolan.yaml');
  writeFileSync(path.join(folder, 'encryption'), encryptionKey);
  const encryption = encrypted ? ', encryption: { key: { file: ./encryption } }' : '';
  writeFileSync(config, `portals: {}\nstore: { path: ./store${encryption} }\n`);
  return { folder: path.join(folder, 'store'), config };
}
