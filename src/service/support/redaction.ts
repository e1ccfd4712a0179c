import { type Config, secretsIn } from '../../config/config';
import { readProfile } from '../../config/temporal/temporal-profile';
import { headersIn, isSecretHeader, maskSecrets } from '../../model/text/mask-secrets';
import { shortened } from '../../model/text/plain-text';

/** Variables that hold a secret, by their names. */
const SECRET_VARIABLE = /(secret|token|passw|credential|api_?key|_key(_data)?$|_auth$)/i;
/** OpenTelemetry's variables of headers. */
const HEADERS_VARIABLE = /^OTEL_EXPORTER_OTLP_([A-Z]+_)?HEADERS$/;
/** Shorter values of other headers may be common words. @format characters */
const HEADER_MIN = 12;
/** Shorter secrets would be replaced within unrelated words. @format characters */
const LENGTH_MIN = 4;

export interface KnownSecrets {
  readonly values: readonly string[];
  /** Sources of secrets that cannot be read here, for people. */
  readonly unread: readonly string[];
}

/** Every secret of the configuration and the environment of this process that can be read here. */
export async function readKnownSecrets(config: Config): Promise<KnownSecrets> {
  const configured = [...new Set([...secretsIn(config)].map(([, secret]) => secret))];
  const read = await Promise.allSettled(configured.map((secret) => secret.find()));
  const unread = configured.filter((_, index) => read[index]?.status === 'rejected');
  const { apiKey, grpcMeta = {} } = readProfile();
  const variablesLike = (name: RegExp): string[] =>
    Object.keys(process.env).flatMap((each) => (name.test(each) ? (process.env[each] ?? []) : []));
  const headers = variablesLike(HEADERS_VARIABLE);
  const values = [
    ...read.flatMap((each) => (each.status === 'fulfilled' ? [each.value ?? ''] : [])),
    (apiKey ?? '').trim(),
    ...variablesLike(SECRET_VARIABLE),
    ...headers,
    ...[...headers.flatMap(headersIn), ...Object.entries(grpcMeta)].flatMap(secretsOfHeader),
  ];
  return {
    values: [...new Set(values)].filter((value) => value.length >= LENGTH_MIN),
    unread: unread.map(({ source }) => source),
  };
}

/** A secret value, with and without its scheme. */
const secretsOfHeader = ([name, value]: readonly [string, string]): string[] =>
  isSecretHeader(name) || value.length >= HEADER_MIN
    ? [value, value.replace(/^(?:Basic|Bearer) +/i, '')]
    : [];

const STAND_IN = '***';

/** Longer texts are cut: of what a portal says, the beginning is enough. @format characters */
const TEXT_MAX = 20_000;
/** Deeper nesting than any Portolan data. */
const DEPTH_MAX = 64;

/** Names of values that are secret or usable by anyone who has them. */
const secretNames = new Set(
  [
    ...['password', 'passphrase', 'secret', 'clientSecret', 'apiKey', 'token', 'accessToken', 'refreshToken'],
    ...[
      'authorization',
      'cookie',
      'signature',
      'mac',
      'nonce',
      'sealedKey',
      'accessKeyId',
      'secretAccessKey',
    ],
  ].map((name) => name.toLowerCase()),
);

/** A token in three parts, as JSON Web Tokens are. */
const webToken = /\beyJ[\w-]{8,4000}\.[\w-]{1,4000}\.[\w-]*/g;

/**
 * Takes secrets out of what is given away: those that are known, in each form in which one may stand; what a name says to
 * be one; and the arguments of commands, since a person may have written one there.
 */
export class Redaction {
  private readonly known: RegExp | undefined;

  constructor(secrets: readonly string[]) {
    const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
    this.known = forms.length === 0 ? undefined : new RegExp(forms.map(escaped).join('|'), 'g');
  }

  text(words: string): string {
    const clean = this.known === undefined ? words : words.replace(this.known, STAND_IN);
    return maskSecrets(clean).replace(webToken, STAND_IN);
  }

  /** The same of all texts in a value of JSON, each of which is cut where it is long; what is undefined is left out. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return shortened(this.text(value), TEXT_MAX);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEPTH_MAX) return '…';
    if (Array.isArray(value)) return value.map((each) => this.value(each, depth + 1));
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => [this.text(name), this.named(name, each, depth)]),
    );
  }

  private named(name: string, value: unknown, depth: number): unknown {
    if (typeof value === 'string' && secretNames.has(name.toLowerCase())) return STAND_IN;
    const isCommand = name === 'command' && Array.isArray(value);
    return isCommand ? this.value(programOf(value), depth + 1) : this.value(value, depth + 1);
  }
}

/** Program and a word for its arguments. */
const programOf = ([program, ...rest]: readonly unknown[]): unknown[] =>
  rest.length === 0 ? [program] : [program, STAND_IN];

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text as it stands, in JSON, in JSON that is a text of JSON, in an address, in a form, in hexadecimal, and in base64 of either kind wherever it begins. */
function formsOf(secret: string): string[] {
  const base64 = ['', 'x', 'xx'].map((before) => {
    // The characters at both ends also hold bits of what is around.
    const text = Buffer.from(before + secret).toString('base64');
    return text.slice(before.length === 0 ? 0 : 4, -4);
  });
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  const written = [secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret), inForm];
  const inAddress = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const coded = [...base64, ...inAddress, Buffer.from(secret).toString('hex')];
  return [...written, ...coded.filter((form) => form.length >= 8)];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
