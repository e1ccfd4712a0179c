import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type ClientConfigProfile,
  type ClientConfigTLS,
  loadClientConfigProfile,
  toClientOptions,
} from '@temporalio/envconfig';
import type { ConnectionOptions } from '@temporalio/client';
import { PortolanError } from '../../model/errors/errors';

/** TLS files: their variables, and their keys in a profile. */
const tlsFiles = {
  serverCACert: { variable: 'TEMPORAL_TLS_SERVER_CA_CERT', key: 'server_ca_cert' },
  clientCert: { variable: 'TEMPORAL_TLS_CLIENT_CERT', key: 'client_cert' },
  clientKey: { variable: 'TEMPORAL_TLS_CLIENT_KEY', key: 'client_key' },
} as const satisfies Partial<Record<keyof ClientConfigTLS, { variable: string; key: string }>>;

type TlsFile = keyof typeof tlsFiles;

const invalid = (saw: string, hint: string): PortolanError =>
  new PortolanError('CONFIG_INVALID', saw, { hint });

/**
 * Environment variables without empty ones, since a template that leaves a variable empty has not set it. An empty
 * `TEMPORAL_GRPC_META_…` removes a header.
 */
function variables(): Record<string, string> {
  const all = Object.entries(process.env);
  return Object.fromEntries(
    all.flatMap(([name, value]) =>
      value || (value === '' && name.startsWith('TEMPORAL_GRPC_META_')) ? [[name, value]] : [],
    ),
  );
}

/**
 * The connection as Temporal's own environment variables and profile file describe it (`TEMPORAL_ADDRESS`,
 * `TEMPORAL_API_KEY`, `TEMPORAL_TLS_…`): what `temporal` on the command line uses, Portolan uses as well. Files that it
 * names are not read yet. Throws `CONFIG_INVALID`, which quotes nothing of the file, since that can hold a key.
 */
export function readProfile(): ClientConfigProfile {
  const env = variables();
  const { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: name, TEMPORAL_TLS: tls } = env;
  // Temporal's parser reads any other word as false, which would turn TLS off.
  if (tls !== undefined && !['true', '1', 'false', '0'].includes(tls))
    throw invalid(
      'TEMPORAL_TLS is neither true nor false.',
      'Write true or 1 for TLS, or false or 0 without.',
    );
  if (file !== undefined && !existsSync(file))
    throw invalid(
      `TEMPORAL_CONFIG_FILE names ${file}, which does not exist.`,
      "Name Temporal's profile file there, or unset TEMPORAL_CONFIG_FILE.",
    );
  const where = file ?? "Temporal's profile file, temporalio/temporal.toml in your configuration folder,";
  let profile: ClientConfigProfile;
  try {
    profile = loadClientConfigProfile({ overrideEnvVars: env });
  } catch (thrown) {
    throw unusable(thrown, where, name);
  }
  const wrong = (['address', 'namespace', 'apiKey'] as const).find(
    (key) => profile[key] !== undefined && typeof profile[key] !== 'string',
  );
  if (wrong !== undefined)
    throw invalid(`${where}: ${wrong === 'apiKey' ? 'api_key' : wrong} is not text.`, 'Write it in quotes.');
  return profile;
}

function unusable(thrown: unknown, where: string, name: string | undefined): PortolanError {
  const { message, line, code } = thrown as Error & { readonly line?: number; readonly code?: string };
  if (line !== undefined) return invalid(`${where} is not valid TOML: line ${line}.`, 'Fix that line.');
  if (code !== undefined)
    return invalid(`${where} cannot be read (${code}).`, 'Make it readable for this user.');
  if (name !== undefined && message.startsWith('Profile '))
    return invalid(
      `TEMPORAL_PROFILE is "${name}", and ${where} has no [profile.${name}].`,
      'Name an existing profile, or add this one.',
    );
  // Names the two conflicting keys, not their values.
  if (message.startsWith('Cannot specify both'))
    return invalid(`${where} and TEMPORAL_… variables: ${message}.`, 'Remove one of them.');
  return invalid(`${where} has no usable [profile.NAME].`, 'Add [profile.default].');
}

/**
 * Connection options of a profile. Throws `CONFIG_INVALID`, naming the variable or key, if a file cannot be read or
 * is not PEM.
 */
export function optionsOf(
  profile: ClientConfigProfile,
): Pick<ConnectionOptions, 'tls' | 'metadata'> & { readonly apiKey?: string } {
  const key = apiKeyOf(profile);
  const tls = profile.tls?.disabled === true ? profile.tls : withFiles(profile.tls);
  const { connectionOptions = {} } = toClientOptions({ ...profile, tls, apiKey: key });
  return { tls: connectionOptions.tls, metadata: connectionOptions.metadata, apiKey: key };
}

/** Files with a key often end with a newline, which a header cannot contain. */
function apiKeyOf({ apiKey }: ClientConfigProfile): string | undefined {
  const key = apiKey?.trim();
  if (key === undefined || key === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw invalid(
    `${process.env['TEMPORAL_API_KEY'] ? 'TEMPORAL_API_KEY' : 'api_key of the profile'} contains spaces or characters that no key has.`,
    'Copy the key again, as one word.',
  );
}

/** The TLS settings with the content of their files, each checked. */
function withFiles(tls: ClientConfigTLS | undefined): ClientConfigTLS | undefined {
  if (tls === undefined) return undefined;
  const [serverCACert, clientCert, clientKey] = (['serverCACert', 'clientCert', 'clientKey'] as const).map(
    (which) => contentOf(which, tls),
  );
  const authority = serverCACert && parsed('serverCACert', () => new X509Certificate(serverCACert));
  const certificate = clientCert && parsed('clientCert', () => new X509Certificate(clientCert));
  const key = clientKey && parsed('clientKey', () => createPrivateKey(Buffer.from(clientKey)));
  if ((certificate === undefined) !== (key === undefined)) {
    const [there, missing] = certificate
      ? (['clientCert', 'clientKey'] as const)
      : (['clientKey', 'clientCert'] as const);
    throw invalid(
      `${settingOf(there)} is set, but ${nameOf(missing)} is not; a certificate needs its key.`,
      `Set ${tlsFiles[missing].variable}_PATH, or ${tlsFiles[missing].key}_path of the profile.`,
    );
  }
  if (certificate && key && !certificate.checkPrivateKey(key))
    throw invalid(
      `${settingOf('clientKey')} does not match the certificate in ${settingOf('clientCert')}.`,
      'Set a certificate and its own key.',
    );
  return {
    ...tls,
    serverCACert: authority && serverCACert && { data: serverCACert },
    clientCert: clientCert && { data: clientCert },
    clientKey: clientKey && { data: clientKey },
  };
}

function contentOf(which: TlsFile, tls: ClientConfigTLS): Buffer | undefined {
  const source = tls[which];
  if (source === undefined) return undefined;
  if (!('path' in source)) return Buffer.from(source.data);
  try {
    return readFileSync(source.path);
  } catch (thrown) {
    const { code = 'unknown' } = thrown as NodeJS.ErrnoException;
    throw invalid(
      `${settingOf(which)} names ${source.path}, which cannot be read (${code}).`,
      'Name a PEM file that this user can read.',
    );
  }
}

function parsed<T>(which: TlsFile, parse: () => T): T {
  try {
    return parse();
  } catch {
    const what = which === 'clientKey' ? 'no PEM key readable without a passphrase' : 'no PEM certificate';
    throw invalid(`${settingOf(which)} holds ${what}.`, 'Name a PEM file; it starts with -----BEGIN.');
  }
}

/** The variable or key that names the file. */
function settingOf(which: TlsFile): string {
  const { variable, key } = tlsFiles[which];
  for (const end of ['PATH', 'DATA']) if (process.env[`${variable}_${end}`]) return `${variable}_${end}`;
  return `${key} of the profile`;
}

const nameOf = (which: TlsFile): string => `${tlsFiles[which].variable}_PATH`;

/** Files that a connection depends on and that may be renewed: the profile file, even if missing, and TLS files. */
export function profileFiles(): string[] {
  const { tls } = readProfile();
  const file = variables()['TEMPORAL_CONFIG_FILE'] ?? defaultFile();
  const named = (Object.keys(tlsFiles) as TlsFile[]).flatMap((which) => {
    const source = tls?.[which];
    return source && 'path' in source ? [source.path] : [];
  });
  return [...(file === undefined ? [] : [file]), ...named];
}

/**
 * The default profile file of Temporal's tools, if TEMPORAL_CONFIG_FILE is not set; undefined if there is none on
 * this system.
 */
function defaultFile(): string | undefined {
  const { APPDATA, HOME, XDG_CONFIG_HOME } = variables();
  const inHome = (...parts: string[]): string | undefined => HOME && path.join(HOME, ...parts);
  const folders: Partial<Record<NodeJS.Platform, string | undefined>> = {
    win32: APPDATA,
    darwin: inHome('Library', 'Application Support'),
  };
  const { platform } = process;
  const folder = platform in folders ? folders[platform] : (XDG_CONFIG_HOME ?? inHome('.config'));
  return folder && path.isAbsolute(folder) ? path.join(folder, 'temporalio', 'temporal.toml') : undefined;
}
