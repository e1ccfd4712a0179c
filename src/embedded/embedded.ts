import path from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { runWorker } from '../worker';
import { type TemporalCli, findTemporalCli } from './temporal-cli';
import { type TemporalServer, startTemporalServer } from './temporal-server';
import type { RunningWorker } from './worker';

export interface EmbeddedOptions {
  /** The server ends with this process, whatever ends it. @default false */
  readonly endsWithUs?: boolean;
  /** @default true */
  readonly ui?: boolean;
  /** The worker's log; the server's goes to `temporal.log` beside its database. */
  readonly logger?: Logger;
  /** Told in one sentence what happened to the server, or what takes long. */
  readonly onEvent?: (event: string) => void;
}

export interface Embedded {
  readonly cli: TemporalCli;
  readonly server: TemporalServer;
  readonly worker: RunningWorker;
  /** The configuration with the address on which the server listens. */
  readonly config: Config;
  /** Ends the worker, then the server: the other way round takes ten seconds and ends in errors. */
  stop(): Promise<void>;
}

/**
 * Temporal and a worker in this process's care, on `temporal.address` (port 0 takes a free one) and with the database
 * in `temporal.state`.
 * @throws PortolanError `CONFIG_INVALID`, `ADDRESS_IN_USE`, `TEMPORAL_CLI_MISSING`, `TEMPORAL_UNREACHABLE`
 */
export async function startEmbedded(configured: Config, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { address, namespace, state } = configured.temporal;
  const cli = await findTemporalCli({ onSlowStep: options.onEvent });
  const server = await startTemporalServer({
    cli: cli.path,
    address,
    namespace,
    database: path.join(state, 'temporal.db'),
    logFile: path.join(state, 'temporal.log'),
    endsWithUs: options.endsWithUs,
    ui: options.ui,
    onEvent: options.onEvent,
  });
  const config: Config = { ...configured, temporal: { ...configured.temporal, address: server.address } };
  try {
    const worker = await runWorker(config, { logger: options.logger });
    return { cli, server, worker, config, stop: () => worker.stop().finally(() => server.stop()) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
