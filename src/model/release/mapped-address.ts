import { withoutTrailingSlashes } from '../text/trailing-slashes';

/** An address as a map compares it: scheme, host and port in lower case, a port that is the scheme's own left out. */
export interface MappedAddress {
  readonly origin: string;
  /** Without a slash at the end; empty for a host alone. */
  readonly path: string;
}

/** Takes an address of a map apart; undefined where it is none, or has a query or fragment. */
export function mappedAddress(text: string): MappedAddress | undefined {
  const [, scheme, authority, path] = /^(https?):\/\/([^\s/?#]+)([^\s?#]*)$/i.exec(text) ?? [];
  if (scheme === undefined || authority === undefined) return undefined;
  return { origin: originOf(scheme, authority), path: withoutTrailingSlashes(path ?? '') };
}

/** @param scheme without its colon */
export function originOf(scheme: string, authority: string): string {
  const name = scheme.toLowerCase();
  const own = name === 'https' ? /:443$/ : /:80$/;
  return `${name}://${authority.toLowerCase().replace(own, '')}`;
}

/** Whether an address is another one, or lies below it. */
export const liesAtOrBelow = (address: MappedAddress, other: MappedAddress): boolean =>
  address.origin === other.origin &&
  (address.path === other.path || address.path.startsWith(`${other.path}/`));

/** `0123…` with 32 hexadecimal digits, wherever it stands as a word. */
export const itemIdsIn = (text: string): string[] =>
  (text.match(/\b[0-9a-f]{32}\b/gi) ?? []).map((id) => id.toLowerCase());
