import type { ClientConfigProfile, ClientConnectConfig } from '@temporalio/envconfig';
import { PortolanError } from '../../model/errors/errors';
import { isSecretHeader } from '../../model/text/mask-secrets';
import { hostAndPort } from '../file/plain-values';
import { isLoopback } from '../../model/identity';
import { optionsOf, readProfile } from './temporal-profile';

/** The default address: from Temporal's variables and profile file, else this machine. Throws `CONFIG_INVALID`. */
export function temporalDefaults(): { address: string; namespace: string } {
  const { address = 'localhost:7233', namespace = 'default' } = readProfile();
  if (!hostAndPort.safeParse(address).success)
    throw new PortolanError('CONFIG_INVALID', `${addressSetting()} is not HOST:PORT.`, {
      hint: 'Write HOST:PORT, as in temporal.example.com:7233',
    });
  return { address, namespace };
}

const addressSetting = (): string =>
  process.env['TEMPORAL_ADDRESS'] ? 'TEMPORAL_ADDRESS' : 'address of the profile';

/**
 * Connection options of clients and workers: the address from portolan.yaml, TLS and API key from the environment
 * and the profile file. If those name an address, their credentials go only there: a key for one server is never
 * shown to another. Credentials never go unencrypted to another machine. If TLS was requested for another address,
 * which may be another name of this server, an unencrypted connection is refused too. Throws `CONFIG_INVALID`.
 */
export function temporalConnection({
  address,
}: {
  readonly address: string;
}): ClientConnectConfig['connectionOptions'] & {
  readonly apiKey?: string;
} {
  const profile = readProfile();
  const isHere = isLoopback(address.replace(/:\d+$/, ''));
  if (profile.address !== undefined && profile.address !== address) {
    if (!isHere && asksForTls(profile)) throw otherAddress(address, profile.address);
    return { address };
  }
  const options = optionsOf(profile);
  const shown = whatIsShown(options.apiKey, profile);
  if (!isHere && !options.tls && shown !== undefined) throw inClear(address, shown, profile);
  return { ...options, address };
}

/** As in Temporal's tools: a key, or any TLS setting, turns TLS on unless it is turned off. */
const asksForTls = ({ tls, apiKey = '' }: ClientConfigProfile): boolean =>
  tls === undefined ? apiKey.trim() !== '' : tls.disabled !== true;

function otherAddress(address: string, other: string): PortolanError {
  return new PortolanError(
    'CONFIG_INVALID',
    `temporal.address is ${address}, but ${addressSetting()} is ${other}. TLS settings, keys and certificates would go only to the latter, and the connection to the former would be unencrypted.`,
    {
      hint: 'For one server, use the same address in both. For two servers, name another profile in TEMPORAL_PROFILE, or set TEMPORAL_TLS=false if this server has no TLS.',
    },
  );
}

function whatIsShown(
  apiKey: string | undefined,
  { tls, grpcMeta = {} }: ClientConfigProfile,
): string | undefined {
  if (apiKey !== undefined) return 'a key';
  if (tls?.clientCert || tls?.clientKey) return 'a client certificate';
  const header = Object.keys(grpcMeta).find(isSecretHeader);
  return header && `the header ${header}`;
}

function inClear(address: string, shown: string, { tls }: ClientConfigProfile): PortolanError {
  const setting = process.env['TEMPORAL_TLS'] ? 'TEMPORAL_TLS' : 'tls.disabled of the profile';
  const [saw, hint] = tls?.disabled
    ? [`${setting} turns TLS off`, `Remove ${setting}, or the credentials.`]
    : ['TLS is not on', 'Set TEMPORAL_TLS=true, or remove the credentials.'];
  return new PortolanError(
    'CONFIG_INVALID',
    `${saw}, but ${shown} would be sent to ${address}, on another machine; that needs TLS.`,
    { hint },
  );
}
