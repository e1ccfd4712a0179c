import path from 'node:path';
import type { Config } from '../config/config';
import { readEncryptionKeys } from '../config/temporal/encryption-keys';
import { temporalConnection } from '../config/temporal/temporal-connection';
import { PortolanError } from '../model/errors/errors';
import type { Person } from '../model/run/proof';
import { type ActingSources, inStoreAlone, type RunSources } from '../service/run/run-sources';
import { openStore } from '../store/open-store';
import type { Store } from '../store/store';
import { connectTemporal, fromTemporal, isRefusedAccess, type TemporalClient } from '../temporal/connection';

/** After Temporal did not answer it is left alone for so long: who asks meanwhile is answered by the store. @format milliseconds */
const LEFT_ALONE_MS = 2_000;

/** Who asks has to be told in a while that Temporal does not answer, however often a call is tried. @format milliseconds */
const ANSWERED_WITHIN_MS = 5_000;

/** Workers and portals are asked before a run begins or goes on. @format milliseconds */
const ACTED_WITHIN_MS = 45_000;

/** One connection to Temporal for all who ask, made when somebody does, and again where it was lost. */
export class Sources {
  readonly store: Store;
  private connecting: Promise<TemporalClient> | undefined;
  private failed: { readonly at: number; readonly error: PortolanError } | undefined;

  /** What is told over HTTP names the file, and not where it lies on this machine. */
  readonly config: Config;
  /** Where it lies. */
  readonly file: string;

  constructor(config: Config) {
    this.config = { ...config, path: path.basename(config.path) };
    this.file = config.path;
    this.store = openStore(config);
  }

  /** The same for whoever starts or answers something. */
  async acting<T>(
    { who, identity }: Person,
    work: (sources: ActingSources) => Promise<T>,
    withinMs = ACTED_WITHIN_MS,
  ): Promise<T> {
    return await this.both((sources) => work({ ...sources, asker: { who, identity } }), withinMs);
  }

  /** Works with Temporal and the store. Throws `TEMPORAL_UNREACHABLE`. */
  async both<T>(
    work: (sources: Required<RunSources>) => Promise<T>,
    withinMs = ANSWERED_WITHIN_MS,
  ): Promise<T> {
    const { config, store } = this;
    const { address, namespace } = config.temporal;
    const temporal = await this.temporal();
    try {
      return await temporal.connection.withDeadline(Date.now() + withinMs, () =>
        work({ config, store, temporal }),
      );
    } catch (thrown) {
      if (isRefusedAccess(thrown)) await this.disconnect(temporal);
      const error = fromTemporal(thrown, address, namespace);
      // What somebody starts may take longer than it is given, and Temporal is there all the same.
      if (isAway(error) && withinMs === ANSWERED_WITHIN_MS) this.failed = { at: Date.now(), error };
      throw error;
    }
  }

  /** The same for looking only: where Temporal is away, the store alone answers. */
  async readable<T>(work: (sources: RunSources) => Promise<T>): Promise<T> {
    try {
      return await this.both(work);
    } catch (thrown) {
      if (!isAway(thrown)) throw thrown;
      return await inStoreAlone(thrown, () => work({ config: this.config, store: this.store }));
    }
  }

  async close(): Promise<void> {
    const temporal = await this.connecting?.catch(() => undefined);
    await temporal?.connection.close();
  }

  /** The next who asks connects anew, by a key that may have been renewed in the profile file since. */
  private async disconnect(refused: TemporalClient): Promise<void> {
    const current = await this.connecting?.catch(() => undefined);
    if (current !== refused) return;
    this.connecting = undefined;
    await refused.connection.close();
  }

  private async temporal(): Promise<TemporalClient> {
    if (this.failed && Date.now() - this.failed.at < LEFT_ALONE_MS) throw this.failed.error;
    const { temporal } = this.config;
    this.connecting ??= readEncryptionKeys(temporal.encryption).then((keys) =>
      connectTemporal(temporalConnection(temporal), temporal.namespace, keys),
    );
    try {
      const client = await this.connecting;
      this.failed = undefined;
      return client;
    } catch (thrown) {
      this.connecting = undefined;
      const error = PortolanError.from(thrown);
      this.failed = { at: Date.now(), error };
      throw error;
    }
  }
}

const isAway = (thrown: unknown): thrown is PortolanError =>
  thrown instanceof PortolanError && thrown.code === 'TEMPORAL_UNREACHABLE';
