/** Parameters, fields and headers whose value is a secret. */
const names = [
  'token',
  'access[-_]?token',
  'refresh[-_]?token',
  '[a-z]*password',
  'key',
  'api[-_]?key',
  'client[-_]?secret',
  'x-esri-authorization',
  'authorization',
  'X-Amz-Signature',
  'X-Amz-Credential',
  'sig',
].join('|');

/** `name=value` of a query or form, `"name":"value"` of JSON, also within strings of JSON in JSON, and `name: value` of a header. */
const assigned = new RegExp(
  `(?<![A-Za-z0-9])((?:${names})\\\\{0,9}["']?\\s*[=:]\\s*\\\\{0,9}["']?)(?:(?:Bearer|Basic)\\s+)?[^\\s&"'\\\\,;<>})]+`,
  'gi',
);
/** The same names in the query of an address, and others that mean a secret only there. */
const inQuery = new RegExp(`([?&](?:${names}|code|signature|x-amz-[\\w-]+)=)[^\\s&#"'<>]*`, 'gi');
/** User name and password before the `@` of a URL. */
const inAddress = /((?:^|https?:|\s)\/\/)[^/@\s"'<>?#]*@/gi;
const bearer = /\bBearer\s+[\w.~+/=-]+/gi;
const isNamed = new RegExp(`^(?:${names})$`, 'i');

/** Whether the value of a member or parameter of this name is a secret. */
export const isSecretName = (name: string): boolean => isNamed.test(name);

/** A name and a password, by which proxies are asked. */
const basic = /\bBasic\s+([\w+/-]{4,}={0,2})/gi;
/** What a text in JSON is assigned to, to its end: a password may hold anything. */
const inJson = new RegExp(`("(?:${names})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, 'gi');

/**
 * Replaces likely secrets with `***`, by name. A last safeguard: code that knows a secret must not write it
 * anywhere.
 */
export const maskSecrets = (words: string): string =>
  words
    .replace(inAddress, '$1***@')
    .replace(inQuery, '$1***')
    .replace(inJson, '$1***')
    .replace(assigned, '$1***')
    .replace(bearer, 'Bearer ***')
    .replace(basic, (found, coded: string) => (isNameAndPassword(coded) ? 'Basic ***' : found));

/** Masks secrets in every text of a JSON value, and members named after a secret. Its depth must be bounded. */
export function maskedJson(value: unknown): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (Array.isArray(value)) return value.map(maskedJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' && isSecretName(name) ? '***' : maskedJson(each),
    ]),
  );
}

/** A word that only stands behind it has neither figures nor the padding of base64, and hides no two words either. */
const isNameAndPassword = (coded: string): boolean =>
  (coded.length >= 8 && /[\d=]/.test(coded)) ||
  /^[^\p{C}:]*:\P{C}*$/u.test(Buffer.from(coded, 'base64').toString('utf8').replace('\ufffd', '\u0000'));

/** Names and values of `name=value,name=value`, the form in which OpenTelemetry's variables hold headers. */
export const headersIn = (text: string): (readonly [string, string])[] =>
  text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const] : [];
  });

/** Values are written as in an address; one that is not is taken as it stands. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const SECRET_HEADER = /(secret|token|passw|credential|key|auth|cookie)/i;

/** Whether the value of a header is a secret, however short: by its name, it proves who asks. */
export const isSecretHeader = (name: string): boolean => SECRET_HEADER.test(name);
