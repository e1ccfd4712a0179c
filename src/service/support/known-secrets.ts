import { type Config, secretsIn } from '../../config/config';
import { readProfile } from '../../config/temporal/temporal-profile';
import { headersIn, isSecretHeader } from '../../model/text/mask-secrets';

/** Variables that hold a secret, by their names: of Portolan's own, of Temporal's, of AWS's, and of whatever else. */
const SECRET_VARIABLE = /(secret|token|passw|credential|api_?key|_key(_data)?$|_auth$)/i;
/** Those of OpenTelemetry that hold headers. */
const HEADERS_VARIABLE = /^OTEL_EXPORTER_OTLP_([A-Z]+_)?HEADERS$/;
/** Values of others may be words that stand everywhere, such as who asks: those are shorter. @format characters */
const HEADER_MIN = 12;
/** Shorter ones would be taken out of words that have nothing to do with them. @format characters */
const LENGTH_MIN = 4;

export interface KnownSecrets {
  readonly values: readonly string[];
  /** Sources of secrets that cannot be read here, for people. */
  readonly unread: readonly string[];
}

/**
 * Every secret that the configuration and the environment of this process lead to, as far as it can be read here: what
 * is given away is searched for each.
 */
export async function readKnownSecrets(config: Config): Promise<KnownSecrets> {
  const configured = [...new Set([...secretsIn(config)].map(([, secret]) => secret))];
  const read = await Promise.allSettled(configured.map((secret) => secret.find()));
  const unread = configured.filter((_, index) => read[index]?.status === 'rejected');
  const { apiKey, grpcMeta = {} } = readProfile();
  const variables = Object.entries(process.env);
  const headers = variables.flatMap(([name, value]) =>
    value !== undefined && HEADERS_VARIABLE.test(name) ? [value] : [],
  );
  const values = [
    ...read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    ...(apiKey === undefined ? [] : [apiKey.trim()]),
    ...variables.flatMap(([name, value]) => (SECRET_VARIABLE.test(name) ? [value] : [])),
    ...headers,
    ...[...headers.flatMap(headersIn), ...Object.entries(grpcMeta)].flatMap(secretsOfHeader),
  ];
  return {
    values: [...new Set(values.flatMap((value) => (value && value.length >= LENGTH_MIN ? [value] : [])))],
    unread: unread.map(({ source }) => source),
  };
}

/** Its value, and what stands in it behind the word that says of which kind it is. */
const secretsOfHeader = ([name, value]: readonly [string, string]): string[] =>
  isSecretHeader(name) || value.length >= HEADER_MIN
    ? [value, value.replace(/^(?:Basic|Bearer) +/i, '')]
    : [];
