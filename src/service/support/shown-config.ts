import type { Config } from '../../config/config';
import { Secret } from '../../secrets/secret';

/** The query of an address, in which others write secrets under any name. */
const query = /(\bhttps?:\/\/[^\s?#"'<>]*)\?[^\s"'<>]*/gi;

/**
 * What a configuration comes to, as a value of JSON: with its defaults, without a secret, without the hashes of keys, and
 * without what stands in the queries of addresses.
 */
export function shownConfig(config: Config): Record<string, unknown> {
  const { serve, ...rest } = config;
  const keys = new Map([...serve.keys].map(([name, key]) => [name, { ...key, sha256: '***' }]));
  return plain({ ...rest, serve: { ...serve, keys } }) as Record<string, unknown>;
}

function plain(value: unknown): unknown {
  if (value instanceof Secret) return `*** (${value.source})`;
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, each]) => [String(name), plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return value.replace(query, '$1?***');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}
