import path from 'node:path';
import type { Config } from '../config/config';
import type { Needs } from '../contract/operation';
import { readEncryptionKeys } from '../config/temporal/encryption-keys';
import { temporalConnection } from '../config/temporal/temporal-connection';
import { PortolanError } from '../model/errors/errors';
import type { Person } from '../model/run/signature';
import { type WriteContext, inStoreAlone, type ReadContext } from '../service/run/run-sources';
import { openStore } from '../store/open-store';
import type { Store } from '../store/store';
import {
  answersAtAll,
  connectTemporal,
  fromTemporal,
  isCutOff,
  isLate,
  isRefusedAccess,
  type TemporalClient,
} from '../temporal/connection';

/** After Temporal did not answer it is left alone for so long: who asks meanwhile is answered by the store. @format milliseconds */
const LEFT_ALONE_MS = 2_000;

/** Who asks has to be told in a while that Temporal does not answer, however often a call is tried. @format milliseconds */
const ANSWERED_WITHIN_MS = 5_000;

/** If a call took too long, Temporal gets this long to answer at all. @format milliseconds */
const PROBED_WITHIN_MS = 2_000;

/** Workers and portals are asked before a run begins or goes on. @format milliseconds */
const ACTED_WITHIN_MS = 45_000;

/** A connection, and how many work by it now. */
interface Line {
  readonly temporal: Promise<TemporalClient>;
  working: number;
}

/** One connection to Temporal for all who ask, made when somebody does, and again where it was lost. */
export class Sources {
  readonly store: Store;
  private line: Line | undefined;
  private failed: { readonly at: number; readonly error: PortolanError } | undefined;
  private probe: Promise<boolean> | undefined;

  /** What is told over HTTP names the file, and not where it lies on this machine. */
  readonly config: Config;
  /** Where it lies. */
  readonly file: string;

  constructor(config: Config) {
    this.config = { ...config, path: path.basename(config.path) };
    this.file = config.path;
    this.store = openStore(config);
  }

  /** What an operation needs. @param withinMs time limit for Temporal */
  async open<T>(needs: Needs, work: (found: ReadContext) => Promise<T>, withinMs?: number): Promise<T> {
    const { config, store } = this;
    if (needs === 'store') return await work({ config, store });
    return needs === 'readable' ? await this.readable(work, withinMs) : await this.both(work, withinMs);
  }

  /** The same for whoever starts or answers something. */
  async acting<T>(
    { who, identity }: Person,
    work: (sources: WriteContext) => Promise<T>,
    withinMs = ACTED_WITHIN_MS,
  ): Promise<T> {
    return await this.both((sources) => work({ ...sources, asker: { who, identity } }), withinMs);
  }

  /**
   * Works with Temporal and the store. Throws `TEMPORAL_UNREACHABLE` if Temporal does not answer, and `TIMEOUT` if only
   * this work took too long, which affects no other work.
   */
  async both<T>(
    work: (sources: Required<ReadContext>) => Promise<T>,
    withinMs = ANSWERED_WITHIN_MS,
  ): Promise<T> {
    const { config, store } = this;
    const { address, namespace } = config.temporal;
    if (this.failed && Date.now() - this.failed.at < LEFT_ALONE_MS) throw this.failed.error;
    const line = (this.line ??= { temporal: this.connect(), working: 0 });
    line.working += 1;
    let client: TemporalClient | undefined;
    try {
      client = await line.temporal.catch((thrown: unknown) => this.failedToConnect(line, thrown));
      this.failed = undefined;
      const temporal = client;
      return await temporal.connection.withDeadline(Date.now() + withinMs, () =>
        work({ config, store, temporal }),
      );
    } catch (thrown) {
      // The next who asks connects anew, by a key that may have been renewed in the profile file since.
      if (isRefusedAccess(thrown)) this.drop(line);
      if (client && isLate(thrown) && (await this.isThere(client))) throw tookTooLong(address, withinMs);
      const error = fromTemporal(thrown, address, namespace);
      if (isAway(error) && (isLate(thrown) || isCutOff(thrown))) this.failed = { at: Date.now(), error };
      throw error;
    } finally {
      line.working -= 1;
      if (line.working === 0 && this.line !== line) await close(line);
    }
  }

  /** The same for looking only: where Temporal is away, the store alone answers. */
  async readable<T>(work: (sources: ReadContext) => Promise<T>, withinMs?: number): Promise<T> {
    try {
      return await this.both(work, withinMs);
    } catch (thrown) {
      if (!isAway(thrown)) throw thrown;
      return await inStoreAlone(thrown, () => work({ config: this.config, store: this.store }));
    }
  }

  async close(): Promise<void> {
    if (this.line) await close(this.line);
  }

  /** One probe for all calls that are late. */
  private isThere(client: TemporalClient): Promise<boolean> {
    return (this.probe ??= answersAtAll(client, PROBED_WITHIN_MS).finally(() => (this.probe = undefined)));
  }

  private async connect(): Promise<TemporalClient> {
    const { temporal } = this.config;
    const keys = await readEncryptionKeys(temporal.encryption);
    return await connectTemporal(temporalConnection(temporal), temporal.namespace, keys);
  }

  private failedToConnect(line: Line, thrown: unknown): never {
    this.drop(line);
    const error = PortolanError.from(thrown);
    this.failed = { at: Date.now(), error };
    throw error;
  }

  /** Nobody takes this one any more; the last who works by it closes it. */
  private drop(line: Line): void {
    if (this.line === line) this.line = undefined;
  }
}

async function close({ temporal }: Line): Promise<void> {
  const client = await temporal.catch(() => undefined);
  await client?.connection.close();
}

const tookTooLong = (address: string, withinMs: number): PortolanError =>
  new PortolanError(
    'TIMEOUT',
    `Temporal at ${address} is running, but did not return this within ${withinMs / 1_000} s.`,
    { hint: 'Try again. If it stays slow, check the load of the Temporal server.' },
  );

const isAway = (thrown: unknown): thrown is PortolanError => PortolanError.is(thrown, 'TEMPORAL_UNREACHABLE');
