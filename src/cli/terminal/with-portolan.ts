import { loadConfig } from '../../config/load-config';
import { findServer } from '../../client/server-address';
import type { Portolan } from '../../service/portolan/portolan';
import type { Globals } from './globals';

/** The file or server that the command line names. */
type Named = Pick<Globals, 'config'>;
type Work<T> = (portolan: Portolan) => Promise<T>;

/** Uses the configured server, else store and Temporal of the configuration; both are required. */
export async function withPortolan<T>({ config }: Named, work: Work<T>): Promise<T> {
  const server = findServer(config);
  if (server) return await (await import('../../client/http-portolan.js')).withServer(server, work);
  const { withLocal } = await import('../../service/portolan/local-portolan.js');
  return await withLocal(loadConfig(config), work);
}

/** Read-only: uses the store alone if Temporal cannot be reached. */
export async function withReadablePortolan<T>(globals: Named, work: Work<T>): Promise<T> {
  if (findServer(globals.config)) return await withPortolan(globals, work);
  const { withReadableLocal } = await import('../../service/portolan/local-portolan.js');
  return await withReadableLocal(loadConfig(globals.config), work);
}

/** Uses the store only; Temporal is not contacted. */
export async function withStoredPortolan<T>(globals: Named, work: Work<T>): Promise<T> {
  if (findServer(globals.config)) return await withPortolan(globals, work);
  const { withStoredLocal } = await import('../../service/portolan/local-portolan.js');
  return await withStoredLocal(loadConfig(globals.config), work);
}
