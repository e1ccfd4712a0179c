/** The URL of a base URL, or of one without its scheme; undefined for other text. */
export function urlOf(address: string): URL | undefined {
  const text = address.trim();
  const full = /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  return text !== '' && URL.canParse(full) ? new URL(full) : undefined;
}

/**
 * Host and port of a portal in the form in which two spellings are equal. The scheme is not part of it, so the default
 * ports of both schemes are left out.
 */
export function hostIdentity(url: URL): string {
  const host = isLoopback(url.hostname) ? 'localhost' : url.hostname.replace(/\.$/, '');
  return ['', '80', '443'].includes(url.port) ? host : `${host}:${url.port}`;
}

/** The path of a portal, which is its web adaptor's: lower case, without `/sharing/rest` and trailing slashes. */
export const pathIdentity = (url: URL): string =>
  withoutTrailingSlashes(
    withoutTrailingSlashes(url.pathname.toLowerCase()).replace(/\/sharing(\/rest)?$/, ''),
  );

/**
 * What tells a portal from others: `gis.example.com/portal` for each spelling of its address. Undefined where the
 * text is no address.
 */
export function portalIdentity(address: string): string | undefined {
  const url = urlOf(address);
  return url && `${hostIdentity(url)}${pathIdentity(url)}`;
}

/** What tells a portal from others, for each address under which it is known. */
export const portalIdentities = ({
  url,
  aliases = [],
}: {
  readonly url: string;
  readonly aliases?: readonly string[];
}): string[] => [...new Set([url, ...aliases].flatMap((address) => portalIdentity(address) ?? []))];

/** Whether two addresses lead to one portal. */
export function isOneAddress(one: string, other: string): boolean {
  const identity = portalIdentity(one);
  return identity !== undefined && identity === portalIdentity(other);
}

/** Whether only this machine answers under a host name or IP address, with or without the brackets of IPv6. */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return (
    name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** An address without the slashes that it ends in. By hand: `/\/+$/` takes the square of the time for slashes in the middle. */
export function withoutTrailingSlashes(address: string): string {
  let end = address.length;
  while (end > 0 && address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}

/** Whether two names are those of one user of a portal, where names are unique whatever their case. */
export const isSameUser = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase();
