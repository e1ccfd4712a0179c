import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer } from '../../src/temporal/dev-server/temporal-server';

/** A Temporal server of one suite, and its folder. */
export interface OwnServer {
  readonly address: string;
  readonly folder: string;
  close(): Promise<void>;
}

/**
 * @param setting of its dynamic configuration
 * @param database file in its folder. @default it keeps all in memory
 */
export async function startOwnServer(setting?: string, database?: string): Promise<OwnServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-server-'));
  const cli = path.join(folder, 'temporal');
  const { path: found } = await findTemporalCli();
  const flag = setting ? `--dynamic-config-value ${setting}` : '';
  await writeFile(cli, `#!/bin/sh\nexec '${found}' "$@" ${flag}\n`, { mode: 0o755 });
  const server = await startTemporalServer({
    cli,
    address: '127.0.0.1:0',
    logFile: path.join(folder, 'temporal.log'),
    database: database && path.join(folder, database),
  });
  return {
    address: server.address,
    folder,
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
