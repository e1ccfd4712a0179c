import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PortolanError } from '../../model/errors/errors';
import { isLoopback } from '../../model/identity';

/** Addresses by which a machine reaches nobody but itself, in IPv6 forms that lead to an IPv4 address too. */
const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8, 'ipv4');
thisMachine.addSubnet('0.0.0.0', 8, 'ipv4');
thisMachine.addSubnet('::', 127, 'ipv6');
thisMachine.addSubnet('::127.0.0.0', 104, 'ipv6');
thisMachine.addSubnet('64:ff9b::127.0.0.0', 104, 'ipv6');

/** Addresses of the one wire that a machine is on, where clouds hand out credentials. RFC 3927, RFC 4291 2.5.6 */
const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
linkLocal.addSubnet('::169.254.0.0', 112, 'ipv6');
linkLocal.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');

/**
 * Where the words of a portal, a redirect or the address of a service, may lead: to this machine, by whichever of its
 * addresses, where the portal itself is on it, and never to link-local ones. The addresses that were configured for the
 * portal are its own, and are not asked about.
 *
 * A name is judged by what it resolves to as the connection is made. Behind a proxy that resolves names only
 * addresses in figures are judged.
 */
export class AllowedAddresses {
  readonly #portal: string;
  readonly #home: string;
  readonly #configured: ReadonlySet<string>;
  readonly #resolve: LookupFunction;

  constructor(options: {
    readonly name: string;
    readonly url: string;
    readonly aliases?: readonly string[];
    /** @default the system's */
    readonly lookup?: LookupFunction;
  }) {
    const { name, url, aliases = [], lookup = systemLookup } = options;
    this.#portal = name;
    this.#home = hostOf(new URL(url));
    const known = [url, ...aliases].filter((each) => URL.canParse(each)).map((each) => new URL(each));
    this.#configured = new Set(known.map(hostOf));
    this.#resolve = lookup;
  }

  /** @throws PortolanError ADDRESS_REFUSED for an address in figures, or a name of this machine, that is out of reach */
  async require(url: URL): Promise<void> {
    const host = hostOf(url);
    if (this.#configured.has(host)) return;
    if (isIP(host) !== 0) await this.#judge(host, [host]);
    else if (isLoopback(host)) await this.#judge(host, ['127.0.0.1']);
  }

  /** Resolves a name for a connection. Its error is ADDRESS_REFUSED where the name leads out of reach. */
  readonly lookup: LookupFunction = (host, options, done) => {
    if (this.#configured.has(host.toLowerCase())) return this.#resolve(host, options, done);
    this.#resolve(host, options, (error, found, family) => {
      if (error) return done(error, found, family);
      this.#judge(host, addressesIn(found)).then(
        () => done(null, found, family),
        (refusal: unknown) => done(PortolanError.from(refusal), '', 0),
      );
    });
  };

  async #judge(host: string, addresses: readonly string[]): Promise<void> {
    const near = addresses.find((each) => isIn(linkLocal, each));
    if (near !== undefined) throw this.#refusal(host, near, 'a link-local address');
    const own = addresses.find(isOwn);
    if (own !== undefined && !(await this.#isHere()))
      throw this.#refusal(host, own, 'this machine, although the portal runs elsewhere');
  }

  /** Whether the portal itself is on this machine. */
  async #isHere(): Promise<boolean> {
    if (isIP(this.#home) !== 0) return isOwn(this.#home);
    if (isLoopback(this.#home)) return true;
    return new Promise((resolve) =>
      this.#resolve(this.#home, { all: true }, (error, found) =>
        resolve(!error && addressesIn(found).some(isOwn)),
      ),
    );
  }

  #refusal(host: string, address: string, what: string): PortolanError {
    const where = host === address ? host : `${host} (${address})`;
    return new PortolanError('ADDRESS_REFUSED', `${this.#portal} leads to ${where}: ${what}.`, {
      portal: this.#portal,
    });
  }
}

/** In lower case, without brackets and without the dot that ends a whole name. */
const hostOf = (url: URL): string =>
  url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

const addressesIn = (found: string | readonly LookupAddress[]): string[] =>
  typeof found === 'string' ? [found] : found.map(({ address }) => address);

function isIn(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  const version = isIP(plain);
  return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether that is this machine: also by the addresses under which others reach it at this moment. */
function isOwn(address: string): boolean {
  if (isIn(thisMachine, address)) return true;
  const interfaces = new BlockList();
  for (const each of Object.values(networkInterfaces()).flatMap((some) => some ?? []))
    interfaces.addAddress(withoutZone(each.address), each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  return isIn(interfaces, address);
}

const withoutZone = (address: string): string => address.split('%')[0] ?? '';
