import type { ZodType } from 'zod';
import type { Config } from '../../config/config';
import type { Person } from '../../model/run/signature';
import { PortolanError } from '../../model/errors/errors';
import { isAltered } from '../../store/authentic/authentic-store';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { type TemporalClient, withTemporal } from '../../temporal/session';
import { whoTypes } from './who';

/** Where runs are looked up. `temporal` is left out where it is out of reach: then the store alone answers. */
export interface ReadContext {
  readonly config: Config;
  readonly store: Store;
  readonly temporal?: TemporalClient;
}

/** What is in the store alone, which is asked whether or not Temporal is there. */
export interface StoredSources extends Pick<ReadContext, 'config' | 'store'> {
  /** Ends what portals are asked. @default nothing does */
  readonly signal?: AbortSignal;
}

/** Where runs are started and answered, and by whom. */
export interface WriteContext extends Required<ReadContext> {
  readonly asker: Person;
}

/** Store and Temporal, both needed: for what changes a run or follows it. */
export const withSources = <T>(config: Config, work: (sources: WriteContext) => Promise<T>): Promise<T> =>
  withTemporal(config, (temporal) => work({ config, store: openStore(config), temporal, asker: whoTypes() }));

/** The same for looking only: where Temporal is out of reach, the store alone answers. */
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

/** Asks the store in Temporal's place. Throws why Temporal is out of reach where a run is not found: Temporal may hold it. */
export async function inStoreAlone<T>(away: PortolanError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof PortolanError && thrown.code === 'RUN_NOT_FOUND' ? away : thrown;
  }
}

/** What a note of the store holds, if it can be read; `why` where it is not to be believed, or nobody here can tell. */
export interface Noted<T> {
  readonly value?: T;
  readonly why?: PortolanError;
}

/** For showing only: a store that is not seen from here holds nothing. */
export async function readNote<T>(store: Store, key: string, schema: ZodType<T>): Promise<Noted<T>> {
  try {
    return { value: await store.readJson(key, schema) };
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    return isAltered(error) || error.code === 'SECRET_UNREADABLE' ? { why: error } : {};
  }
}

/** A run that others work on, who share the namespace or the store. */
export const ofOthers = (runId: string, queue: string, { temporal }: Config): PortolanError =>
  new PortolanError(
    'RUN_NOT_FOUND',
    `${runId} belongs to task queue "${queue}", but this configuration uses "${temporal.taskQueue}".`,
    { hint: `Use the configuration with temporal.taskQueue ${queue}: --config FILE` },
  );

export const notFound = (runId: string): PortolanError =>
  new PortolanError('RUN_NOT_FOUND', `No run "${runId}".`);
