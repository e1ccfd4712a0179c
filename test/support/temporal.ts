import { type TemporalClient, connectTemporal } from '../../src/temporal/connection';

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

/** A client of the run's server, or of the one at `address`; the caller closes its connection. */
export const connectToTestServer = (address = temporalAddress()): Promise<TemporalClient> =>
  connectTemporal({ address }, 'default');
