import type { ZodType } from 'zod';
import type { Config } from '../../config/config';
import type { Person } from '../../model/run/signature';
import { PortolanError } from '../../model/errors/errors';
import { isAltered } from '../../store/authentic/authentic-store';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { type TemporalClient, withTemporal } from '../../temporal/connection';
import { whoTypes } from './who';

/** Context for reading runs. `temporal` is absent if it cannot be reached; then the store alone is used. */
export interface ReadContext {
  readonly config: Config;
  readonly store: Store;
  readonly temporal?: TemporalClient;
}

/** Context for store-only reads, with or without Temporal. */
export interface StoredSources extends Pick<ReadContext, 'config' | 'store'> {
  /** Aborts portal requests. @default nothing does */
  readonly signal?: AbortSignal;
}

/** Context for starting runs and sending decisions, with the acting user. */
export interface WriteContext extends Required<ReadContext> {
  readonly asker: Person;
}

/** Requires store and Temporal: for changing or following runs. */
export const withSources = <T>(config: Config, work: (sources: WriteContext) => Promise<T>): Promise<T> =>
  withTemporal(config, (temporal) => work({ config, store: openStore(config), temporal, asker: whoTypes() }));

/** Read-only: uses the store alone if Temporal cannot be reached. */
export async function withReadableSources<T>(
  config: Config,
  work: (sources: ReadContext) => Promise<T>,
): Promise<T> {
  try {
    return await withSources(config, work);
  } catch (thrown) {
    if (!(thrown instanceof PortolanError) || thrown.code !== 'TEMPORAL_UNREACHABLE') throw thrown;
    return await inStoreAlone(thrown, () => work({ config, store: openStore(config) }));
  }
}

/**
 * Uses the store instead of Temporal. If a run is not found, throws why Temporal is unreachable: it may have the
 * run.
 */
export async function inStoreAlone<T>(away: PortolanError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw PortolanError.is(thrown, 'RUN_NOT_FOUND') ? away : thrown;
  }
}

/** The content of a state file; `why` if it is not trusted or cannot be read. */
export interface Noted<T> {
  readonly value?: T;
  readonly why?: PortolanError;
}

/** For display only: an unreadable store counts as empty. */
export async function readNote<T>(store: Store, key: string, schema: ZodType<T>): Promise<Noted<T>> {
  try {
    return { value: await store.readJson(key, schema) };
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    return isAltered(error) || error.code === 'SECRET_UNREADABLE' ? { why: error } : {};
  }
}

/** A run of other users of the namespace or the store. */
export const ofOthers = (runId: string, queue: string, { temporal }: Config): PortolanError =>
  new PortolanError(
    'RUN_NOT_FOUND',
    `${runId} belongs to task queue "${queue}", but this configuration uses "${temporal.taskQueue}".`,
    { hint: `Use the configuration with temporal.taskQueue ${queue}: --config FILE` },
  );

export const notFound = (runId: string): PortolanError =>
  new PortolanError('RUN_NOT_FOUND', `No run "${runId}".`);
