import path from 'node:path';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../src/temporal/dev-server/temporal-server';

/**
 * A Temporal server of one suite, at any free port, whose database is `temporal.db` in a folder: it can be killed, and
 * looked into, which that of all suites cannot.
 */
export const startTemporalOnDisk = async (
  folder: string,
  onEvent?: (event: string) => unknown,
): Promise<TemporalServer> =>
  await startTemporalServer({
    cli: (await findTemporalCli()).path,
    address: '127.0.0.1:0',
    database: path.join(folder, 'temporal.db'),
    logFile: path.join(folder, 'temporal.log'),
    ...(onEvent && { onEvent }),
  });
