import path from 'node:path';

/** Path of the configuration: the named file, else `PORTOLAN_CONFIG`, else `portolan.yaml` in the working folder. */
export const configFileName = (named?: string): string =>
  path.resolve(named ?? (process.env.PORTOLAN_CONFIG || 'portolan.yaml'));
