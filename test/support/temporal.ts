import { randomBytes } from 'node:crypto';
import { temporalConnection } from '../../src/config/temporal/temporal-connection';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { type TemporalClient, connectTemporal } from '../../src/temporal/connection';
import { until } from './until';

const fromSetup = (name: string) => {
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
export const connectToTestServer = (
  address = temporalAddress(),
  namespace = 'default',
): Promise<TemporalClient> => connectTemporal(temporalConnection({ address }), namespace);

/** A new namespace with our search attributes: commands that list runs, or take the latest, see those of one suite. */
export async function ownNamespace(address = temporalAddress()): Promise<string> {
  const namespace = `suite-${randomBytes(4).toString('hex')}`;
  // A busy machine may answer too late.
  const { connection } = await until('a connection', () => connectToTestServer(address));
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never, nanos: 0 },
    });
    await until(
      'a new namespace',
      () => registerSearchAttributes(connection, namespace),
      () => true,
    );
  } finally {
    await connection.close();
  }
  return namespace;
}
