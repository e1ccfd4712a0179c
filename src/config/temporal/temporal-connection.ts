import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import { PortolanError } from '../../model/errors/errors';
import type { TemporalConfig } from '../config';

/**
 * The connection as Temporal's own environment variables and profile file describe it (`TEMPORAL_ADDRESS`,
 * `TEMPORAL_API_KEY`, `TEMPORAL_TLS_…`): what `temporal` on the command line uses, Portolan uses as well.
 */
function fromEnvironment(): ClientConnectConfig {
  try {
    return loadClientConnectConfig();
  } catch {
    // The cause may quote the file, which can hold an API key.
    throw new PortolanError(
      'CONFIG_INVALID',
      "Temporal's own configuration (TEMPORAL_… or its profile file) cannot be read.",
    );
  }
}

export function temporalDefaults(): { address: string; namespace: string } {
  const { connectionOptions, namespace } = fromEnvironment();
  return { address: connectionOptions.address ?? 'localhost:7233', namespace: namespace ?? 'default' };
}

/** Options for a client's or a worker's connection: address from portolan.yaml, TLS and API key from the environment. */
export const temporalConnection = ({
  address,
}: Pick<TemporalConfig, 'address'>): ClientConnectConfig['connectionOptions'] => ({
  ...fromEnvironment().connectionOptions,
  address,
});
