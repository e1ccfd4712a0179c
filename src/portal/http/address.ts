import { isLoopback, withoutTrailingSlashes } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';

/**
 * A path below the base URL, each value encoded as one segment: pathOf`content/items/${id}/data`.
 * @throws PortolanError BAD_REQUEST for a value that would change the path: empty, `.` or `..`
 */
export function pathOf(words: TemplateStringsArray, ...values: readonly string[]): string {
  return words.reduce((path, word, index) => path + segment(values[index - 1] ?? '') + word);
}

function segment(value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw new PortolanError('BAD_REQUEST', `"${value}" cannot be part of a URL.`);
  }
  return encodeURIComponent(value);
}

/** A portal's base URL, checked once. */
export function baseUrl(text: string, { name, insecure }: { name: string; insecure?: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new PortolanError(
      'CONFIG_INVALID',
      `The url of ${name} must be an http(s) URL without credentials, query or fragment.`,
      { portal: name },
    );
  }
  requireSafe(url, { name, insecure });
  return withoutTrailingSlashes(url.href);
}

/**
 * Plain http is for this machine only, unless the portal's configuration allows it.
 * @throws PortolanError INSECURE_URL
 */
export function requireSafe(url: URL, { name, insecure }: { name: string; insecure?: boolean }): void {
  if (url.protocol === 'https:' || insecure || isLoopback(url.hostname)) return;
  throw new PortolanError('INSECURE_URL', `The connection to ${name} would use plain http at ${url.host}.`, {
    portal: name,
  });
}

const rootOf = (base: string): string => withoutTrailingSlashes(base).replace(/\/sharing(\/rest)?$/i, '');

/** The portal's administration, which lies beside its sharing interface. */
export const adminUrl = (base: string): string => `${rootOf(base)}/portaladmin`;

/** The portal's sharing interface, from its base URL or the part before it. */
export const sharingUrl = (base: string): string => `${rootOf(base)}/sharing`;

/** Scheme, host, and the first part of the path: a portal or server behind one host name. */
export function serverAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return `${url.host}/${url.pathname.split('/')[1] ?? ''}`.toLowerCase();
}
