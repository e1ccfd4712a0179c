import { badRequest, PortalFault, tokenInvalid } from '../errors';
import type { Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { write, type Route } from '../http/router';
import { type Bearer, builtInApplication, checkPassword, issueToken, opens, readToken } from '../tokens';
import type { World } from '../world';

/** Tokens by user and password, by application, and by refresh token (docs/reference/portal-interface.md, "Sign-in"). */
export const signInRoutes: readonly Route[] = [
  write('token.generate', '/portal/sharing/rest/generateToken', generateToken),
  write('token.generate', '/portal/sharing/generateToken', generateToken),
  write('token.oauth', '/portal/sharing/rest/oauth2/token', oauthToken),
];

const defaultMinutes = 60;
const defaultAppMinutes = 120;
const longestMinutes = 20160;

function generateToken(call: Call): Reply {
  const { params, world } = call;
  if (params.inQuery('password')) throw new PortalFault(405, 'Credentials must be sent in the body.');
  if (params.has('serverUrl')) return federatedToken(call);
  const user = checkPassword(world, params.text('username'), params.text('password'));
  if (typeof user === 'string') throw refused(user);
  const facts = { username: user.username, kind: 'token', ...tieOf(call) } as const;
  return json({ ...issueToken(world, facts, minutesOf(call, defaultMinutes)), ssl: false });
}

/** What a token is tied to: a referer, an address given, or the caller's. */
function tieOf({ params, address }: Call): { referer: string } | { address: string } {
  const client = params.text('client') ?? (params.has('referer') ? 'referer' : 'requestip');
  switch (client) {
    case 'referer':
      return { referer: required(params, 'referer') };
    case 'ip':
      return { address: required(params, 'ip') };
    case 'requestip':
      return { address };
    default:
      throw refused(`'client' cannot be '${client}'.`);
  }
}

function required(params: Call['params'], name: string): string {
  const value = params.text(name);
  if (value === undefined) throw refused(`'${name}' must be specified.`);
  return value;
}

const refused = (why: string): PortalFault => badRequest('Unable to generate token.', why);

/** Swaps a portal token for one that opens one of its servers, and nothing else. */
function federatedToken(call: Call): Reply {
  const { params, world } = call;
  const facts = readToken(world, params.text('token') ?? '', bearerOf(call));
  if (!facts || !opens(facts, undefined)) throw tokenInvalid();
  const { username, referer, address, expires } = facts;
  const server = serverOf(world, params.text('serverUrl') ?? '');
  const minutes = Math.min(minutesOf(call, defaultMinutes), (expires - Date.now()) / 60_000);
  return json({
    ...issueToken(world, { username, kind: 'server', server, referer, address }, minutes),
    ssl: false,
  });
}

/** First part of the path of a federated server. @throws PortalFault 400 where it is none of this portal's */
function serverOf(world: World, given: string): string {
  const desired = URL.canParse(given) ? new URL(given) : undefined;
  for (const url of [world.hostingServerUrl, world.gisServerUrl]) {
    const { origin, pathname } = new URL(url);
    if (desired?.origin !== origin) continue;
    if (desired.pathname === pathname || desired.pathname.startsWith(`${pathname}/`))
      return pathname.slice(1);
  }
  throw refused('The server is not federated with this portal.');
}

const bearerOf = ({ headers, address }: Call): Bearer => ({ referer: headers.referer, address });

function minutesOf({ params }: Call, fallback: number): number {
  const minutes = params.integer('expiration') ?? fallback;
  return Math.min(longestMinutes, minutes > 0 ? minutes : fallback);
}

function oauthToken(call: Call): Reply {
  const { params, world } = call;
  const grant = params.text('grant_type');
  switch (grant) {
    case 'client_credentials': {
      const { clientId, clientSecret } = builtInApplication;
      if (params.text('client_id') !== clientId || params.text('client_secret') !== clientSecret) {
        throw badRequest('Invalid client_id or client_secret', 'Invalid client_id or client_secret');
      }
      const made = issueToken(world, { kind: 'app' }, minutesOf(call, defaultAppMinutes));
      return json({ access_token: made.token, expires_in: secondsUntil(made.expires) });
    }
    case 'authorization_code':
      return json(userTokens(call, params.text('code') ?? '', 'code'));
    case 'refresh_token':
      return json(userTokens(call, params.text('refresh_token') ?? '', 'refresh'));
    default:
      throw badRequest(`Unsupported grant_type '${grant ?? ''}'.`);
  }
}

/** Swaps a code of the sign-in page, or a refresh token, for a token of that user. */
function userTokens(call: Call, given: string, kind: 'code' | 'refresh'): object {
  const { world } = call;
  const facts = readToken(world, given, bearerOf(call));
  if (facts?.kind !== kind) throw kind === 'refresh' ? expiredRefresh() : badRequest('Invalid code');
  const { username } = facts;
  const made = issueToken(world, { username, kind: 'token' }, minutesOf(call, 30));
  const refresh = issueToken(world, { username, kind: 'refresh' }, longestMinutes);
  return {
    access_token: made.token,
    expires_in: secondsUntil(made.expires),
    username,
    ssl: false,
    refresh_token: refresh.token,
    refresh_token_expires_in: secondsUntil(refresh.expires),
  };
}

const secondsUntil = (expires: number): number => Math.floor((expires - Date.now()) / 1000);

const expiredRefresh = (): PortalFault =>
  new PortalFault(498, 'refresh_token expired', { details: ['refresh_token expired'] });
