import type { ClientConnectConfig } from '@temporalio/envconfig';
import { PortolanError } from '../../model/errors/errors';
import type { TemporalConfig } from '../config';
import { hostAndPort } from '../file/plain-values';
import { optionsOf, readProfile } from './temporal-profile';

/**
 * Where portolan.yaml does not say it: the server of Temporal's own variables and profile file, else that of this
 * machine. Throws `CONFIG_INVALID`.
 */
export function temporalDefaults(): { address: string; namespace: string } {
  const { address = 'localhost:7233', namespace = 'default' } = readProfile();
  if (!hostAndPort.safeParse(address).success)
    throw new PortolanError(
      'CONFIG_INVALID',
      `${process.env['TEMPORAL_ADDRESS'] ? 'TEMPORAL_ADDRESS' : 'address of the profile'} is not HOST:PORT.`,
      { hint: 'Write it as in: temporal.example.com:7233' },
    );
  return { address, namespace };
}

/**
 * Options for a client's or a worker's connection: address from portolan.yaml, TLS and API key from the environment and
 * the profile file. What these say goes to the address that they name, where they name one: a key of one server is
 * never shown to another. Throws `CONFIG_INVALID`.
 */
export function temporalConnection({
  address,
}: Pick<TemporalConfig, 'address'>): ClientConnectConfig['connectionOptions'] & {
  readonly apiKey?: string;
} {
  const profile = readProfile();
  if (profile.address !== undefined && profile.address !== address) return { address };
  return { ...optionsOf(profile), address };
}
