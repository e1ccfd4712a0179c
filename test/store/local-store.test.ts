import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { storeRules } from './store-rules';

storeRules('a store in a folder', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-store-'));
  const config = path.join(folder, 'portolan.yaml');
  writeFileSync(config, 'portals: {}\nstore: { path: ./store }\n');
  return { config, close: () => rm(folder, { recursive: true, force: true }) };
});
