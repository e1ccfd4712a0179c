import net from 'node:net';
import { PortolanError } from '../../model/errors/errors';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const loopback = new net.BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine can reach the host. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (net.isIP(host) !== 0 && loopback.check(host, net.isIPv6(host) ? 'ipv6' : 'ipv4'));

/** Reads `host:port`, with an IPv6 host in brackets. */
export function parseAddress(address: string): Address {
  const match = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]+)):(?<port>\d{1,5})$/.exec(address);
  const host = match?.groups?.ipv6 ?? match?.groups?.host;
  const port = Number(match?.groups?.port);
  if (host === undefined || port > 65_535) {
    throw new PortolanError('CONFIG_INVALID', `temporal.address: "${address}" is not host:port`);
  }
  return { host, port };
}

/** The numeric address on which a server of our own listens for this name. */
export const listenHost = (host: string): string => (host === 'localhost' ? '127.0.0.1' : host);

/** Two ports that nobody listens on, found by asking the system for them. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer();
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
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
