import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type TemporalClient, connectTemporal } from '../../src/embedded/connection';

const fromSetup = (name: string): string => {
  const value = process.env[name];
  if (value === undefined)
    throw new Error('this suite lies outside the rooms of jest.config.js that have a Temporal server');
  return value;
};

/** `host:port` of the run's Temporal server; namespace `default`, our search attributes are registered. */
export const temporalAddress = (): string => fromSetup('PORTOLAN_TEST_TEMPORAL');

/** Path of the workflow bundle, made once for the run. */
export const workflowBundlePath = (): string => fromSetup('PORTOLAN_TEST_BUNDLE');

/** The files in which the run's server keeps everything, its log among them. */
export const temporalDatabase = async (): Promise<string[]> => {
  const folder = fromSetup('PORTOLAN_TEST_FOLDER');
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith('temporal')).map((name) => path.join(folder, name));
};

/** A client of the run's server; the caller closes its connection. */
export const connectToTestServer = (): Promise<TemporalClient> =>
  connectTemporal({ address: temporalAddress() }, 'default');
