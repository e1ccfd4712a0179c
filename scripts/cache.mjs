import os from 'node:os';
import path from 'node:path';

/** Folder of what commands here fetch or build once: that of `portolan`, `cliCacheDir` in src/temporal/dev-server. */
export const cache = path.join(
  process.env.XDG_CACHE_HOME || path.join(process.env.HOME || os.homedir(), '.cache'),
  'portolan',
);
