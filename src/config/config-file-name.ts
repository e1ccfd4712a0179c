import path from 'node:path';

/** Path of the configuration that is named, or else meant: that of `PORTOLAN_CONFIG`, else `portolan.yaml` of the working folder. */
export const configFileName = (named?: string): string =>
  path.resolve(named ?? (process.env.PORTOLAN_CONFIG || 'portolan.yaml'));
