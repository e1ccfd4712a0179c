import { PortolanError } from '../../model/errors/errors';
import { serverAddress, requireSafe } from '../http/address';
import { toText } from '../http/reading';
import type { CallOptions, PortalCalls } from '../http/request';
import { portalSelf, readServers } from '../resources/portals';
import type { Token } from './session';
import type { Grant } from './sign-in';

/** Servers that a portal itself names. */
interface KnownServers {
  /** Its own host names, as URLs. */
  readonly names: readonly string[];
  /** Addresses of the servers federated with it, where this account may list them. */
  readonly federated: readonly string[];
  /** Addresses among its helper services, its own servers' and others': only the portal knows which. */
  readonly mentioned: readonly string[];
}

/** Origins of the portal's names, and addresses of the servers. */
type Known = Readonly<Record<keyof KnownServers, ReadonlySet<string>>>;

/**
 * Tokens for the servers that hold hosted layers. An item's url can name any host, so a token goes only
 * where the portal itself has pointed: its own to itself and to its federated servers; to a server that
 * it only mentions one that it has made for that server. All other hosts get none.
 */
export class ServerTokens {
  readonly #origins: ReadonlySet<string>;
  readonly #exchanged = new Map<string, { readonly from: Token; readonly grant: Promise<Grant> }>();
  #known: Promise<Known> | undefined;

  constructor(
    private readonly options: {
      readonly name: string;
      readonly insecure?: boolean;
      /** The portal's own addresses. */
      readonly own: readonly string[];
      /** Asks the portal for its servers. */
      readonly servers: () => Promise<KnownServers>;
      readonly exchange: (token: string, serverUrl: string) => Promise<Grant>;
    },
  ) {
    this.#origins = originsOf(options.own);
  }

  /** @throws PortolanError PERMISSION_DENIED where the server is not one of this portal's; INSECURE_URL */
  async tokenFor(url: URL, token: Token): Promise<string> {
    const { name, insecure } = this.options;
    requireSafe(url, { name, insecure });
    if (this.#origins.has(url.origin)) return token.value;
    const { names, federated, mentioned } = await this.#servers();
    const server = serverAddress(url.href) ?? url.host;
    if (names.has(url.origin) || federated.has(server)) return token.value;
    if (!mentioned.has(server)) throw this.#foreign(url);
    const { value } = await this.#exchange(server, url, token);
    // A token made for one server is another one than the portal's; the same would open the portal there.
    if (value === token.value) throw this.#foreign(url);
    return value;
  }

  /** Asked once; again only where the answer did not come. */
  #servers(): Promise<Known> {
    this.#known ??= this.options
      .servers()
      .then(({ names, federated, mentioned }) => ({
        names: originsOf(names),
        federated: serverAddresses(federated),
        mentioned: serverAddresses(mentioned),
      }))
      .catch((error: unknown) => {
        this.#known = undefined;
        throw error;
      });
    return this.#known;
  }

  async #exchange(server: string, url: URL, token: Token): Promise<Grant> {
    let exchanged = this.#exchanged.get(server);
    if (exchanged?.from !== token) {
      exchanged = { from: token, grant: this.options.exchange(token.value, url.href) };
      this.#exchanged.set(server, exchanged);
    }
    try {
      return await exchanged.grant;
    } catch (error) {
      this.#exchanged.delete(server);
      if (PortolanError.is(error, 'BAD_REQUEST', 'PERMISSION_DENIED', 'NOT_FOUND', 'SERVER_ERROR'))
        throw this.#foreign(url);
      throw error;
    }
  }

  #foreign(url: URL): PortolanError {
    const { name } = this.options;
    return new PortolanError(
      'PERMISSION_DENIED',
      `${url.host} is not a server of ${name}, so it gets no token.`,
      { portal: name },
    );
  }
}

const originsOf = (urls: readonly string[]): ReadonlySet<string> =>
  new Set(urls.filter((url) => /^https?:/i.test(url) && URL.canParse(url)).map((url) => new URL(url).origin));

const serverAddresses = (urls: readonly string[]): ReadonlySet<string> =>
  new Set(urls.flatMap((url) => serverAddress(url) ?? []));

/**
 * What a portal says of its servers. The list of those federated with it is for administrators; whoever
 * may not read it goes by what the portal mentions. docs/reference/portal-interface.md, "Portal"
 */
export async function readKnownServers(portal: PortalCalls, options?: CallOptions): Promise<KnownServers> {
  const request = { operation: 'portal.self', path: 'portals/self', schema: portalSelf };
  const self = await portal.call(request, options);
  const servers = await readServers(portal, self.id ?? 'self', options).catch((error: unknown) => {
    if (PortolanError.from(error).meaning.kind === 'transient') throw error;
    return [];
  });
  const names = [self.portalHostname, ownDomain(self.urlKey, self.customBaseUrl)];
  return {
    names: names.flatMap((name) => (name ? [asUrl(name)] : [])),
    federated: servers.map((server) => server.url),
    mentioned: urlsIn(self.helperServices),
  };
}

const ownDomain = (key: string | undefined, base: string | undefined): string | undefined =>
  key && base ? `${key}.${base}` : undefined;

const asUrl = (name: string): string => (/^https?:/i.test(name) ? name : `https://${name}`);

function urlsIn(value: unknown): string[] {
  const text = toText(value);
  if (text !== undefined) return /^https?:\/\//i.test(text) ? [text] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlsIn) : [];
}
