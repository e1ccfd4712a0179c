import { findServer, serverAt, type ServerAddress } from '../../client/server-address';
import { PortolanError } from '../../model/errors/errors';
import type { Globals } from '../terminal/globals';

/** The typed server, else the configured one. Throws `USAGE` if there is none. */
export function meantServer(typed: string | undefined, { config }: Globals): ServerAddress {
  const server = typed === undefined ? findServer(config) : serverAt(typed, 'The server');
  if (server) return server;
  throw new PortolanError('USAGE', 'This folder has its own configuration, so name a server.', {
    hint: 'For example: portolan login https://portolan.example.com',
  });
}
