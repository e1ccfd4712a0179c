import type { World } from './world';
import type { UserRecord } from './state/records';

/** The content of a token; signed by the portal, not stored. */
export interface TokenFacts {
  /** Absent for an application's token. */
  readonly username?: string;
  readonly kind: 'token' | 'app' | 'server' | 'refresh' | 'code' | 'apiKey';
  /** Only valid with a Referer that starts with this. */
  readonly referer?: string;
  /** Only valid from this IP address. */
  readonly address?: string;
  /** First path segment of the server that a `server` token is valid on. */
  readonly server?: string;
  /** The request that a code is valid for. */
  readonly grant?: CodeGrant;
  /** Distinguishes tokens made in the same millisecond. */
  readonly id?: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly generation: number;
}

export interface CodeGrant {
  readonly clientId: string;
  readonly redirectUri: string;
  /** PKCE challenge; absent if none was sent. */
  readonly challenge?: string;
  readonly method?: 'S256' | 'plain';
}

/** Who sends a token. */
export interface Bearer {
  readonly referer: string | undefined;
  readonly address: string;
}

/** Makes a token that is valid for `minutes`, but no longer than the portal allows. */
export function issueToken(
  world: World,
  facts: Omit<TokenFacts, 'expires' | 'generation' | 'id'>,
  minutes: number,
): { token: string; expires: number } {
  const life = Math.min(minutes * 60_000, world.settings.tokenLifetimeMs);
  const expires = Date.now() + life;
  const body: TokenFacts = {
    ...facts,
    id: world.newId(),
    expires,
    generation: world.portal.tokenGeneration,
  };
  const text = Buffer.from(JSON.stringify(body)).toString('base64url');
  return { token: `${text}.${world.hash(text)}`, expires };
}

/** The content of a token; undefined if it is invalid, expired, or bound to another caller. */
export function readToken(world: World, token: string, bearer: Bearer): TokenFacts | undefined {
  if (token.startsWith('AAPK')) return readApiKey(world, token);
  const [text, signature] = token.split('.');
  if (!text || !signature || !world.matches(text, signature)) return undefined;
  const facts = JSON.parse(Buffer.from(text, 'base64url').toString()) as TokenFacts;
  if (facts.expires <= Date.now() || world.spentTokens.has(token)) return undefined;
  if (facts.generation !== world.portal.tokenGeneration) return undefined;
  if (facts.referer !== undefined && !(bearer.referer ?? '').startsWith(facts.referer)) return undefined;
  if (facts.address !== undefined && bearer.address !== facts.address) return undefined;
  return facts;
}

/** API keys and developer credentials exist from 11.5 (docs/reference/portal-interface.md, "Sign-in"). */
function readApiKey(world: World, key: string): TokenFacts | undefined {
  if (!world.settings.release.atLeast('11.5') || key !== builtInApiKey) return undefined;
  return { username: 'owner', kind: 'apiKey', expires: Number.MAX_SAFE_INTEGER, generation: 0 };
}

const forServices: ReadonlySet<TokenFacts['kind']> = new Set(['token', 'app', 'apiKey']);

/** Whether a token is valid at a path of `server`; undefined is the portal itself. */
export const opens = (facts: TokenFacts, server: string | undefined): boolean =>
  facts.kind === 'server' ? facts.server === server : forServices.has(facts.kind);

/** The API key of every simulated portal from 11.5; it acts as the user `owner`. */
export const builtInApiKey = 'AAPKsimulated0123456789';

/** The application of every simulated portal. */
export const builtInApplication = { clientId: 'simulated-app', clientSecret: 'simulated-app-secret' };

/** The vendor's clients on every portal, valid for any redirect URL. */
export const vendorApps: ReadonlySet<string> = new Set(['arcgisonline', 'pythonapi']);

/** The user with this password, or the error message (docs/reference/portal-interface.md, "Sign-in"). */
export function checkPassword(
  world: World,
  username: string | undefined,
  password: string | undefined,
): UserRecord | string {
  const user = username === undefined ? undefined : world.users.get(username);
  const { lockOutAfter } = world.settings;
  const attempts = world.wrongPasswords.get(username ?? '') ?? 0;
  if (lockOutAfter > 0 && attempts >= lockOutAfter) {
    return 'Too many invalid attempts. Please try again later.';
  }
  if (user && password !== undefined && world.matches(password, user.passwordHash)) {
    world.wrongPasswords.delete(user.username);
    return user;
  }
  if (username !== undefined) world.wrongPasswords.set(username, attempts + 1);
  return 'Invalid username or password.';
}
