import { badRequest, PortalFault } from '../errors';
import type { Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { write, type Route } from '../http/router';
import { builtInApplication, issueToken, readToken } from '../tokens';

/** Tokens by user and password, by application, and by refresh token (docs/portal-interface.md, "Sign-in"). */
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
  const username = params.text('username');
  const user = username === undefined ? undefined : world.users.get(username);
  const password = params.text('password');
  if (!user || password === undefined || !world.matches(password, user.passwordHash)) {
    throw badRequest('Unable to generate token.', 'Invalid username or password.');
  }
  const client = params.text('client') ?? (params.has('referer') ? 'referer' : 'requestip');
  const referer = client === 'referer' ? params.text('referer') : undefined;
  if (client === 'referer' && referer === undefined) {
    throw badRequest('Unable to generate token.', "'referer' must be specified.");
  }
  const made = issueToken(
    world,
    { username: user.username, kind: 'token', referer },
    minutesOf(call, defaultMinutes),
  );
  return json({ ...made, ssl: false });
}

/** Swaps a portal token for one of a federated server; here both are the same. */
function federatedToken({ params, world, headers }: Call): Reply {
  const token = params.text('token') ?? '';
  const facts = readToken(world, token, headers.referer);
  if (!facts) throw new PortalFault(498, 'Invalid token.');
  return json({ token, expires: facts.expires, ssl: false });
}

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
  const { world, headers } = call;
  const facts = readToken(world, given, headers.referer);
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
