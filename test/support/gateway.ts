import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Gateway {
  /** The portal's address as seen through the gateway. */
  readonly url: string;
  close(): Promise<void>;
}

/** A reverse proxy in front of a portal: the same portal under another address. */
export async function startGateway(portalUrl: string): Promise<Gateway> {
  const behind = new URL(portalUrl);
  const server = http.createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = http.request(
      { host: behind.hostname, port: behind.port, method, path, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${behind.pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
