import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { certificateFor } from '../auth/certificates';
import { json } from '../raw-portal';
import { calls, type OddAnswer, raw, type Site } from './odd-answer';

const TLS_HINT = {
  ended: "The portal's certificate has expired or is not yet valid. Renew it, and check both clocks.",
  name: 'The certificate is for another host name. Use that name in url.',
  none: 'No TLS at this address. Check the scheme and port of url.',
};

/** A portal behind a certificate; it is reached by `client`. */
const behind =
  (name: `IP:${string}` | `DNS:${string}`, options: { days?: number; trusted: boolean }) =>
  async (site: Site) => {
    const tls = certificateFor(name, options.days);
    const portal = await site.portal({ 'content/items/i1': json({ id: 'i1' }) }, tls);
    return portal.client(options.trusted ? { ca: tls.cert } : {});
  };

/** A portal with TLS behind a proxy that answers each wish for a tunnel so. */
const behindProxy = (answer: string) => async (site: Site) => {
  const proxy = createHttpServer();
  proxy.on('connect', (_request, socket) => socket.end(answer));
  const address = `http://user:${PROXY_PASSWORD}@127.0.0.1:${await site.listen(proxy)}`;
  return site.client(`https://127.0.0.1:${await site.deafPort()}/x`, { proxy: address });
};

export const PROXY_PASSWORD = 'proxy-pa55-not-to-be-seen';

/** Connections that do not come to stand, or break before an answer. */
export const connections: readonly OddAnswer[] = [
  {
    came: 'a connection that is refused',
    made: async (site) => site.client(`http://127.0.0.1:${await site.deafPort()}/x`),
    code: 'CONNECTION_REFUSED',
    says: 'the connection was refused',
  },
  {
    came: 'a host name that nobody knows',
    made: async (site) => site.client('https://no-such-portal.invalid/x'),
    code: 'DNS_FAILED',
    says: 'the host name does not resolve',
  },
  {
    came: 'a connection that is closed before the answer',
    on: [...calls, 'upload', 'part', 'download'],
    reply: (_seen, response) => void response.socket?.destroy(),
    code: 'CONNECTION_LOST',
    says: 'the connection broke before the response',
  },
  {
    came: 'a connection that is reset before the answer',
    on: [...calls, 'upload'],
    reply: (_seen, response) => {
      const { socket } = response;
      if (socket && 'resetAndDestroy' in socket) socket.resetAndDestroy();
    },
    code: 'CONNECTION_LOST',
    says: 'the connection broke before the response',
  },
  {
    came: 'no answer at all',
    on: [...calls, 'upload', 'signIn'],
    reply: () => {},
    timeoutMs: 200,
    code: 'TIMEOUT',
    says: 'the call timed out',
  },
  {
    came: 'an answer that stops in its midst',
    reply: (_seen, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"id":');
    },
    timeoutMs: 200,
    code: 'TIMEOUT',
    says: 'the call timed out',
  },
  {
    came: 'something else than HTTP',
    reply: raw('SSH-2.0-nothing\r\n'),
    code: 'BAD_RESPONSE',
    says: 'the server does not speak HTTP',
  },
  {
    came: 'a certificate that nobody vouches for',
    made: behind('IP:127.0.0.1', { trusted: false }),
    code: 'TLS_FAILED',
    says: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  },
  {
    came: 'a certificate that has ended',
    made: behind('IP:127.0.0.1', { trusted: true, days: -1 }),
    code: 'TLS_FAILED',
    says: 'CERT_HAS_EXPIRED',
    hint: TLS_HINT.ended,
  },
  {
    came: 'a certificate for another host',
    made: behind('DNS:portal.example.com', { trusted: true }),
    code: 'TLS_FAILED',
    says: 'ERR_TLS_CERT_ALTNAME_INVALID',
    hint: TLS_HINT.name,
  },
  {
    came: 'plain HTTP where the url says https',
    made: async (site) => {
      const portal = await site.portal({});
      return site.client(portal.url.replace('http:', 'https:'));
    },
    code: 'TLS_FAILED',
    says: 'its certificate or TLS was rejected',
    hint: TLS_HINT.none,
  },
  {
    came: 'a connection that is closed before TLS stands',
    made: async (site) => {
      const port = await site.listen(
        createServer((socket) => void socket.once('data', () => socket.destroy())),
      );
      return site.client(`https://127.0.0.1:${port}/x`);
    },
    code: 'CONNECTION_LOST',
    says: 'the connection broke before the response',
  },
  {
    came: '407 of a proxy that wants another password',
    made: behindProxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    code: 'CONNECTION_REFUSED',
    says: 'the proxy refused the connection with 407',
    hint: "Check the user name and password of this portal's proxy in portolan.yaml.",
  },
  {
    came: '503 of a proxy that cannot reach the portal',
    made: behindProxy('HTTP/1.1 503 Service Unavailable\r\n\r\n'),
    code: 'CONNECTION_REFUSED',
    says: 'the proxy refused the connection with 503',
    hint: 'The proxy cannot reach the portal. Check its rules, and that the portal is running.',
  },
  {
    came: 'a proxy that is not there',
    made: async (site) =>
      site.client('https://portal.example.com/x', { proxy: `http://127.0.0.1:${await site.deafPort()}` }),
    code: 'CONNECTION_REFUSED',
    says: 'the connection was refused',
  },
];
