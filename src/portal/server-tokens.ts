import { PortolanError } from '../model/errors';
import { prefixOf, requireSafe } from './address';
import type { Token } from './session';
import type { Grant } from './sign-in';

const refusals: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'SERVER_ERROR',
]);

/**
 * Tokens for the servers that hold hosted layers. An item's url can name any host, so the portal's token
 * goes only to the portal itself and to servers that it has named; for any other the portal is asked for
 * a token of that server, which it gives for its own servers alone.
 */
export class ServerTokens {
  readonly #origins: ReadonlySet<string>;
  readonly #trusted = new Set<string>();
  readonly #exchanged = new Map<string, { readonly from: Token; readonly grant: Promise<Grant> }>();

  constructor(
    private readonly options: {
      readonly name: string;
      readonly insecure?: boolean;
      readonly own: readonly string[];
      readonly exchange: (token: string, serverUrl: string) => Promise<Grant>;
    },
  ) {
    this.#origins = new Set(
      options.own
        .filter((url) => /^https?:/i.test(url) && URL.canParse(url))
        .map((url) => new URL(url).origin),
    );
  }

  trust(urls: readonly string[]): void {
    for (const url of urls) {
      const prefix = prefixOf(url);
      if (prefix) this.#trusted.add(prefix);
    }
  }

  /** @throws PortolanError PERMISSION_DENIED where the server is not one of this portal's; INSECURE_URL */
  async tokenFor(url: URL, token: Token): Promise<string> {
    const { name, insecure } = this.options;
    requireSafe(url, { name, insecure });
    const prefix = prefixOf(url.href) ?? url.host;
    if (this.#origins.has(url.origin) || this.#trusted.has(prefix)) return token.value;
    let exchanged = this.#exchanged.get(prefix);
    if (exchanged?.from !== token) {
      exchanged = { from: token, grant: this.options.exchange(token.value, url.href) };
      this.#exchanged.set(prefix, exchanged);
    }
    try {
      return (await exchanged.grant).value;
    } catch (error) {
      this.#exchanged.delete(prefix);
      if (!(error instanceof PortolanError) || !refusals.has(error.code)) throw error;
      throw new PortolanError(
        'PERMISSION_DENIED',
        `${url.host} is no server of ${name}, so no token is sent there.`,
        {
          portal: name,
        },
      );
    }
  }
}
