import { isLoopback, withoutTrailingSlashes } from '../model/identity';
import { maskSecrets } from '../model/text/mask-secrets';

/** What a URL must be, besides http or https without user name and password. */
export interface UrlRules {
  /** How to write it. @default `https://HOST/PATH` */
  readonly form?: string;
  /** Where credentials belong. */
  readonly credentials?: string;
  /** Problem if plain http reaches another machine. @default it may */
  readonly unencrypted?: string;
  readonly mayHoldQuery?: boolean;
}

/** The problem of a URL, for people, without repeating it; undefined if it can be used. */
export function urlProblem(
  text: string,
  { form = 'https://HOST/PATH', credentials, unencrypted, mayHoldQuery = false }: UrlRules,
): string | undefined {
  if (!URL.canParse(text)) return `is not a URL; write it as ${form}`;
  const { protocol, username, password, search, hash, hostname } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
  if (username !== '' || password !== '')
    return `must not hold a user name or password${credentials === undefined ? '' : `; ${credentials}`}`;
  if (!mayHoldQuery && (search !== '' || hash !== '')) return 'must not hold a query or fragment';
  return protocol === 'http:' && !isLoopback(hostname) ? unencrypted : undefined;
}

/** The problem of a portal URL. */
export const portalUrlProblem = (text: string): string | undefined =>
  urlProblem(text, {
    form: 'https://HOST/portal/sharing/rest',
    credentials: 'put them under auth',
  }) ??
  (withoutTrailingSlashes(new URL(text).pathname).endsWith('/sharing/rest')
    ? undefined
    : 'must end in /sharing/rest, as in https://HOST/portal/sharing/rest');

/** The problem of a webhook URL. */
export const webhookUrlProblem = (text: string, insecure: boolean): string | undefined =>
  urlProblem(text, {
    mayHoldQuery: true,
    unencrypted: insecure
      ? undefined
      : 'would be sent unencrypted; use https, or set insecure: true for this receiver',
  });

/** The problem of a URL that is sent or stored where others may read it. */
export const openUrlProblem = (text: string, rules: UrlRules = {}): string | undefined =>
  urlProblem(text, rules) ??
  (maskSecrets(text) === text ? undefined : 'must not hold what looks like a secret');
