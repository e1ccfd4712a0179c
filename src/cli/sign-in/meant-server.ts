import { findServer, serverAt, type ServerAddress } from '../../client/server-address';
import { PortolanError } from '../../model/errors/errors';
import type { Globals } from '../terminal/globals';

/** The server that was typed, or else the one that is named for this machine. Throws `USAGE` where there is none. */
export function meantServer(typed: string | undefined, { config }: Globals): ServerAddress {
  const server = typed === undefined ? findServer(config) : serverAt(typed, 'The server');
  if (server) return server;
  throw new PortolanError('USAGE', 'No server is named: this folder has a configuration of its own.', {
    hint: 'Name one: portolan login https://portolan.example.com',
  });
}
