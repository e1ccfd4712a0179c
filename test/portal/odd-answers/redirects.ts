import { words } from '../raw-portal';
import { type OddAnswer, page, redirect, type Site } from './odd-answer';
import { places } from './places';

const DETOUR = "Set url to the portal's final address, without redirects.";

const STORE = "Retries failed. Check that the portal's content store is running.";

/** A portal whose download leads to a store of its own, which answers so. */
const toStore = (path: string) => async (site: Site) => {
  const store = await site.portal({
    '/expired': words('<Error><Code>AccessDenied</Code></Error>', 403),
    '/away': words('', 503),
  });
  const portal = await site.portal({
    [places.download.path]: redirect(`http://127.0.0.1:${store.port}${path}`),
  });
  return portal.client();
};

/** Answers that send the call elsewhere. */
export const redirects: readonly OddAnswer[] = [
  {
    came: 'a redirect to a sign-in page of the portal itself',
    on: ['read', 'download'],
    made: async (site) => {
      const login = redirect('/portal/sharing/rest/login');
      const replies = { [places.read.path]: login, [places.download.path]: login };
      return (await site.portal({ ...replies, login: page(200, 'Sign In') })).client();
    },
    code: 'HTML_RESPONSE',
    says: 'page',
  },
  {
    came: 'a redirect of a write to a sign-in page',
    on: ['write', 'upload'],
    reply: redirect('/portal/sharing/rest/login'),
    code: 'BAD_RESPONSE',
    says: 'redirects',
    hint: DETOUR,
  },
  {
    came: 'a redirect to a sign-in on another host',
    reply: redirect('https://login.example.com/adfs'),
    code: 'BAD_RESPONSE',
    says: 'to login.example.com',
    hint: DETOUR,
  },
  {
    came: 'a redirect without an address',
    on: ['read', 'write', 'download'],
    reply: redirect(''),
    code: 'BAD_RESPONSE',
    says: 'redirects',
    hint: DETOUR,
  },
  {
    came: 'a redirect to itself, without end',
    on: ['read', 'write', 'download'],
    reply: redirect((seen) => `/portal/sharing/rest/${seen.path}`, 307),
    code: 'REDIRECT_LOOP',
    says: 'endlessly',
  },
  {
    came: 'a redirect of a download to plain http elsewhere',
    on: ['download'],
    reply: redirect('http://store.example.com/file'),
    code: 'INSECURE_URL',
    says: 'store.example.com',
  },
  {
    came: 'a redirect of a download to a host that refuses the connection',
    on: ['download'],
    made: async (site) => {
      const target = `http://127.0.0.1:${await site.deafPort()}/file`;
      return (await site.portal({ [places.download.path]: redirect(target) })).client();
    },
    code: 'CONNECTION_REFUSED',
    says: 'the connection was refused',
  },
  {
    came: 'a redirect of a download to a store that no longer takes the address, 403',
    on: ['download'],
    made: toStore('/expired'),
    hint: STORE,
    code: 'UNAVAILABLE',
    says: 'its content store 127.0.0.1',
  },
  {
    came: 'a redirect of a download to a store that is away, 503',
    on: ['download'],
    made: toStore('/away'),
    hint: STORE,
    code: 'UNAVAILABLE',
    says: 'its content store 127.0.0.1',
  },
];
