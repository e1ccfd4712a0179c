import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { findServer } from '../../client/server-address';
import { loadConfig } from '../../config/load-config';
import type { Portolan } from '../../contract/contract';
import { exitStatus } from '../../model/errors/error-codes';
import { type Globals, perform } from './globals';
import type { Output } from './output';

/** What a command works with. */
export interface Session {
  readonly portolan: Portolan;
  readonly output: Output;
  readonly globals: Globals;
}

/**
 * The action of a command: asks the configured server, or else store and Temporal of the configuration.
 * @param work returns the exit status. @default done
 */
export const act =
  <Given extends unknown[]>(work: (session: Session, ...given: Given) => Promise<number | void>) =>
  (...given: Given): Promise<void> =>
    perform(given.at(-1) as CommandUnknownOpts, (output, globals) =>
      asking(
        globals.config,
        async (portolan) =>
          (await work({ portolan, output, globals }, ...withoutGlobals(given))) ?? exitStatus.done,
      ),
    );

/** What a command is given, with its own options only. */
function withoutGlobals<Given extends unknown[]>(given: Given): Given {
  const { config: _config, output: _output, ...own } = given.at(-2) as Globals;
  return given.with(-2, own) as Given;
}

/** Asks the configured server, or else store and Temporal of the configuration. @param file typed with `--config` */
export async function asking<T>(
  file: string | undefined,
  work: (portolan: Portolan) => Promise<T>,
): Promise<T> {
  const server = findServer(file);
  if (server) return await (await import('../../client/remote.js')).withServer(server, work);
  return await (await import('../../service/local.js')).withLocal(loadConfig(file), work);
}
