import { createHash } from 'node:crypto';
import { badRequest, oauthRefused, PortalFault, tokenInvalid } from '../errors';
import type { Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { write, type Route } from '../http/router';
import {
  type Bearer,
  builtInApplication,
  checkPassword,
  type CodeGrant,
  issueToken,
  opens,
  readToken,
} from '../tokens';
import type { World } from '../world';

/** Tokens for users, applications and refresh tokens (docs/reference/portal-interface.md, "Sign-in"). */
export const signInRoutes: readonly Route[] = [
  write('token.generate', '/portal/sharing/rest/generateToken', generateToken),
  write('token.generate', '/portal/sharing/generateToken', generateToken),
  write('token.oauth', '/portal/sharing/rest/oauth2/token', oauthToken),
  write('token.revoke', '/portal/sharing/rest/oauth2/revokeToken', revokeToken),
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

/** What a token is bound to: a referer, a given IP address, or the caller's. */
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

/** Exchanges a portal token for one that is valid only on one of its servers. */
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

/** First path segment of a federated server. @throws PortalFault 400 if it is not this portal's */
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
      return json(userTokens(call, usernameOfCode(call)));
    case 'refresh_token': {
      const facts = readToken(world, params.text('refresh_token') ?? '', bearerOf(call));
      if (facts?.kind !== 'refresh') throw oauthRefused('refresh_token expired', 'invalid_request', 498);
      return json(userTokens(call, facts.username));
    }
    default:
      throw oauthRefused(`Unsupported grant_type '${grant ?? ''}'.`, 'unsupported_grant_type');
  }
}

/** The user of a sign-in code, which is valid once, for its requester, with the requester's secret. */
function usernameOfCode(call: Call): string | undefined {
  const { params, world } = call;
  const code = params.text('code') ?? '';
  const facts = readToken(world, code, bearerOf(call));
  if (facts?.kind !== 'code' || !facts.grant) throw oauthRefused('Invalid code');
  world.spentTokens.add(code);
  const { clientId, redirectUri } = facts.grant;
  if (params.text('client_id') !== clientId) throw oauthRefused('Invalid client_id');
  if (params.text('redirect_uri') !== redirectUri) throw oauthRefused('Invalid redirect_uri');
  requireVerifier(facts.grant, params.text('code_verifier'));
  return facts.username;
}

function requireVerifier({ challenge, method }: CodeGrant, verifier = ''): void {
  if (challenge === undefined) return;
  const hashed = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  if (hashed !== challenge) throw oauthRefused('Invalid code_verifier', 'invalid_grant');
}

/** Succeeds for an invalid token too, as in RFC 7009. */
function revokeToken({ params, world }: Call): Reply {
  if (params.text('client_id') === undefined) throw oauthRefused('Invalid client_id');
  const token = params.text('auth_token');
  if (token === undefined) throw oauthRefused('Invalid token');
  world.spentTokens.add(token);
  return json({ success: true });
}

/** A user token, with a refresh token. */
function userTokens(call: Call, username: string | undefined): object {
  const { world } = call;
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
