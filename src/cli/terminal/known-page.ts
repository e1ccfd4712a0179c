import { findServer } from '../../client/server-address';
import { loadConfig } from '../../config/load-config';
import { pageAddress } from '../../config/page-address';
import { readUpPage } from '../../temporal/dev-server/up-page';
import type { Globals } from './globals';

/**
 * The address of the web UI: of the configured server, `serve.url`, or of `up` on this machine.
 * @returns without a slash at its end; undefined where none is known
 */
export async function knownPage({ config: named }: Globals): Promise<string | undefined> {
  const server = findServer(named);
  if (server) return server.url;
  const config = loadConfig(named);
  return pageAddress(config.serve) ?? (await readUpPage(config.temporal.state));
}
