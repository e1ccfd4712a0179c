import {
  type SettingField,
  settingField,
  type SettingObjectName,
  settingObject,
  settingObjectNames,
} from '../../model/portal-change/portal-settings';
import type { SettingValues } from '../../portal/resources/settings';
import { isUnset, type Settings } from './setting-values';

/** Hosts of one portal and what takes their place on another: `staging.example.com` to `example.com`. */
export type HostMap = ReadonlyMap<string, string>;

interface Promotion {
  readonly desired: Settings;
  /** One sentence for each value that is not carried, or that people should look at. */
  readonly left: readonly string[];
}

/**
 * The settings of one portal as another may have them. What names a host is carried where all its hosts are mapped,
 * and else left out, so that the other portal keeps its own; links below pages only where they lead to the portal's
 * own hosts. What is not set is cleared.
 *
 * @param own hosts, or addresses, under which the portal that the settings come from is known
 */
export function promotionOf(live: Settings, own: readonly string[], map: HostMap): Promotion {
  const hosts = new Set(own.flatMap((address) => bare(hostOf(address) ?? '') || []));
  const left: string[] = [];
  const desired = settingObjectNames.flatMap((object) => {
    const values = live[object];
    if (values === undefined) return [];
    return [[object, values && promoted(object, values, { hosts, map, left })] as const];
  });
  return { desired: Object.fromEntries(desired), left };
}

interface Moving {
  readonly hosts: ReadonlySet<string>;
  readonly map: HostMap;
  readonly left: string[];
}

/** Every value that the table names, so that what is not set there is cleared here. */
function promoted(object: SettingObjectName, values: SettingValues, moving: Moving): SettingValues {
  const names = Object.keys(settingObject(object).fields);
  const carried = names.flatMap((name) => {
    const field = settingField(object, name);
    const value = values[name];
    if (!field || isUnset(field, value))
      return field?.namesHost || field?.isNeeded ? [] : [[name, null] as const];
    const path = `${object}.${name}`;
    if (!field.namesHost) {
      if (typeof value === 'string') noteHosts(path, value, moving);
      return [[name, value] as const];
    }
    const moved = movedHosts(path, field, value, moving);
    return moved === undefined ? [] : [[name, moved] as const];
  });
  const unnamed = Object.keys(values).filter((name) => !names.includes(name));
  for (const name of unnamed) moving.left.push(`${object}.${name} is skipped: unknown setting`);
  return Object.fromEntries(carried);
}

/** A text that is carried as it is, and names the portal that it comes from. */
function noteHosts(path: string, text: string, { hosts, left }: Moving): void {
  const named = [...hosts].filter((host) => text.toLowerCase().includes(host));
  if (named.length > 0) left.push(`${path} is copied unchanged, although it names ${named.join(', ')}`);
}

function movedHosts(path: string, field: SettingField, value: unknown, moving: Moving): unknown {
  const unmapped = new Set<string>();
  const moved = mapTexts(value, (text) => {
    const host = hostIn(field, text);
    if (host === undefined) return text;
    const mapped = withMappedHost(text, host, moving.map);
    if (mapped !== undefined) return mapped;
    // A link that leads elsewhere leads there from any portal.
    if (field.type !== 'links' || moving.hosts.has(bare(host))) unmapped.add(host);
    return text;
  });
  if (unmapped.size === 0) return moved;
  const hosts = [...unmapped];
  const maps = hosts.map((host) => `--map ${host}=HOST`).join(' ');
  moving.left.push(`${path} is skipped: it names ${hosts.join(', ')}; to copy it: ${maps}`);
  return undefined;
}

/** The host that a text names, with its port; what leads to a page of the portal itself names none. */
function hostIn({ type }: SettingField, text: string): string | undefined {
  const isAddress = addressStart.test(text);
  return isAddress || (type !== 'links' && !text.startsWith('/')) ? hostOf(text) : undefined;
}

const addressStart = /^([a-z][a-z0-9+.-]*:)?\/\//i;

/** Host and port of an address or of a bare host, in lower case; undefined where there is none. */
function hostOf(address: string): string | undefined {
  const url = `https://${address.trim().replace(addressStart, '')}`;
  return URL.canParse(url) ? new URL(url).host.toLowerCase() : undefined;
}

const bare = (host: string): string => host.replace(/:\d+$/, '');

/** The text with the host that its own is mapped to. A mapping of a host without its port keeps the port. */
function withMappedHost(text: string, host: string, map: HostMap): string | undefined {
  const onto = map.get(host) ?? map.get(bare(host));
  if (onto === undefined) return undefined;
  const from = map.has(host) || bare(onto) !== onto ? host : bare(host);
  const at = text.toLowerCase().indexOf(from, addressStart.exec(text)?.[0].length);
  return at < 0 ? text : `${text.slice(0, at)}${onto}${text.slice(at + from.length)}`;
}

function mapTexts(value: unknown, work: (text: string) => string): unknown {
  if (typeof value === 'string') return work(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, work));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, work)]));
}

/** Hosts of `FROM=TO`, as `--map` takes them; undefined where the text is none. */
export function hostPair(text: string): readonly [from: string, to: string] | undefined {
  const [from = '', to = '', ...more] = text.split('=').map((each) => each.trim().toLowerCase());
  const isHost = (each: string): boolean => each !== '' && hostOf(each) === each;
  return more.length === 0 && isHost(from) && isHost(to) ? [from, to] : undefined;
}
