import { randomInt } from 'node:crypto';
import net from 'node:net';
import { PortolanError } from '../../model/errors/errors';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, with an IPv6 host in brackets. Throws `CONFIG_INVALID`, which names the setting. */
export function parseAddress(address: string, setting = 'temporal.address'): Address {
  const match = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]+)):(?<port>\d{1,5})$/.exec(address);
  const host = match?.groups?.ipv6 ?? match?.groups?.host;
  const port = Number(match?.groups?.port);
  if (host === undefined || port > 65_535) {
    throw new PortolanError('CONFIG_INVALID', `${setting}: "${address}" is not host:port`);
  }
  return { host, port };
}

/** The IP address on which our own server listens for a loopback host. */
export const listenHost = (host: string): string => (net.isIP(host) === 0 ? '127.0.0.1' : host);

/** Below the ephemeral range, so that no process is given the port between check and use. */
const FREE_PORTS = { from: 15_000, to: 31_000 } as const;

/** Ports of this machine that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const isFree = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });

const anyByte = (): number => randomInt(1, 255);

/**
 * An address of this machine only that a web page cannot guess: any of the sixteen million of the loopback network,
 * with any port. Where a system has but one of these, the port alone is left to guess.
 */
export async function hiddenAddress(): Promise<Address> {
  const [port = 0] = await freePorts(1);
  const host = `127.${anyByte()}.${anyByte()}.${anyByte()}`;
  return { host: (await isFree(port, host)) ? host : '127.0.0.1', port };
}

/** Whether something takes connections there. */
export const answersAt = ({ host, port }: Address, timeoutMs = 1_000): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: timeoutMs });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
