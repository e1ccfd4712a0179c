import type { Config } from '../../config/config';
import { loadConfig } from '../../config/load-config';
import { findServer } from '../../client/server-address';
import type { Portolan } from '../../service/portolan/portolan';
import type { Globals } from './globals';

/** The file or server that the command line names. */
type Named = Pick<Globals, 'config'>;
type Work<T> = (portolan: Portolan) => Promise<T>;

/**
 * Asks the server that is named for this machine, or else store and Temporal of the configuration, both needed.
 * @param check throws what the configuration alone says is wrong, before Temporal is looked for
 */
export async function withPortolan<T>(
  { config }: Named,
  work: Work<T>,
  check?: (config: Config) => void,
): Promise<T> {
  const server = findServer(config);
  if (server) return await (await import('../../client/http-portolan.js')).withServer(server, work);
  const { withLocal } = await import('../../service/portolan/local-portolan.js');
  const loaded = loadConfig(config);
  check?.(loaded);
  return await withLocal(loaded, work);
}

/** The same for looking only: where Temporal is out of reach, the store alone answers. */
export async function withReadablePortolan<T>(globals: Named, work: Work<T>): Promise<T> {
  if (findServer(globals.config)) return await withPortolan(globals, work);
  const { withReadableLocal } = await import('../../service/portolan/local-portolan.js');
  return await withReadableLocal(loadConfig(globals.config), work);
}

/** The same for what is in the store alone: Temporal is not looked for. */
export async function withStoredPortolan<T>(globals: Named, work: Work<T>): Promise<T> {
  if (findServer(globals.config)) return await withPortolan(globals, work);
  const { withStoredLocal } = await import('../../service/portolan/local-portolan.js');
  return await withStoredLocal(loadConfig(globals.config), work);
}
