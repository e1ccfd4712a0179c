import { calls, type OddAnswer, page } from './odd-answer';
import { words } from '../raw-portal';

/** What comes from a web server, proxy, balancer or firewall before the portal. */
export const pages: readonly OddAnswer[] = [
  {
    came: 'a sign-in page in a 200',
    on: ['read', 'write', 'download'],
    reply: page(200, 'Sign In'),
    code: 'HTML_RESPONSE',
    says: 'page',
  },
  {
    came: 'a page of a proxy, 502',
    on: ['read', 'write', 'upload', 'download'],
    reply: page(502, 'Bad Gateway'),
    code: 'UNAVAILABLE',
    says: 'a page titled "Bad Gateway ***"',
  },
  {
    came: 'a page of a balancer, 503',
    on: ['read', 'write', 'signIn'],
    reply: page(503, 'Service Unavailable'),
    code: 'UNAVAILABLE',
    says: 'a page titled "Service Unavailable ***"',
  },
  {
    came: 'a page of a proxy, 504',
    on: [...calls, 'upload', 'part'],
    reply: page(504, 'Gateway Timeout'),
    code: 'UNAVAILABLE',
    says: 'a page titled "Gateway Timeout ***"',
  },
  {
    came: '503 with `Retry-After: 7`',
    reply: page(503, 'Maintenance', { 'retry-after': '7' }),
    code: 'UNAVAILABLE',
    says: 'a page titled "Maintenance ***"',
    pauseMs: 7_000,
  },
  {
    came: '429 with `Retry-After: 7`',
    reply: words('', 429, { 'retry-after': '7' }),
    code: 'RATE_LIMITED',
    says: 'HTTP 429',
    pauseMs: 7_000,
  },
  {
    came: 'a page of the web server, 500',
    reply: page(500, 'Internal Server Error'),
    code: 'SERVER_ERROR',
    says: 'a page titled "Internal Server Error ***"',
  },
  {
    came: 'a page of the web server, 404',
    on: [...calls, 'signIn'],
    reply: page(404, 'Not Found'),
    code: 'BAD_RESPONSE',
    says: 'a page titled "Not Found ***"',
  },
  {
    came: 'a page of a web server that signs people in itself, 401',
    reply: page(401, 'Unauthorized'),
    code: 'TOKEN_REFUSED',
    says: 'a page titled "Unauthorized ***"',
    hint: "The portal's web server asks for its own sign-in. Use an address without one.",
  },
  {
    came: 'a page of a firewall, 403',
    reply: page(403, 'Access Denied'),
    code: 'PERMISSION_DENIED',
    says: 'a page titled "Access Denied ***"',
    hint: 'The page comes from a proxy or firewall. Ask its administrator to let this machine through.',
  },
  {
    came: 'a page of a web server that takes no such request, 405',
    reply: page(405, 'Method Not Allowed'),
    code: 'BAD_REQUEST',
    says: 'a page titled "Method Not Allowed ***"',
  },
  {
    came: '407 of a proxy for plain HTTP',
    reply: words('', 407),
    code: 'CONNECTION_REFUSED',
    says: 'HTTP 407',
    hint: "Check the user name and password of this portal's proxy in portolan.yaml.",
  },
  {
    came: '408, a request that came too slowly',
    on: ['write', 'upload'],
    reply: words('', 408),
    code: 'TIMEOUT',
    says: 'HTTP 408',
  },
  {
    came: '413, more than a proxy lets through',
    on: ['upload', 'part'],
    reply: page(413, 'Request Entity Too Large'),
    code: 'PACKAGE_TOO_LARGE',
    says: 'a page titled "Request Entity Too Large ***"',
    hint: 'A proxy or web server refuses a request this large. Raise its limit, or sync fewer items with --items.',
  },
];
