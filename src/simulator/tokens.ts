import type { World } from './world';

/** What a token says; signed by the portal, kept nowhere. */
export interface TokenFacts {
  /** Absent for tokens of an application. */
  readonly username?: string;
  readonly kind: 'token' | 'app' | 'refresh' | 'code' | 'apiKey';
  /** The token is good only with a Referer that starts with this. */
  readonly referer?: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly generation: number;
}

/** Makes a token that lives for `minutes`, and not longer than the portal allows. */
export function issueToken(
  world: World,
  facts: { username?: string; kind: TokenFacts['kind']; referer?: string },
  minutes: number,
): { token: string; expires: number } {
  const life = Math.min(minutes * 60_000, world.settings.tokenLifetimeMs);
  const expires = Date.now() + life;
  const body: TokenFacts = { ...facts, expires, generation: world.portal.tokenGeneration };
  const text = Buffer.from(JSON.stringify(body)).toString('base64url');
  return { token: `${text}.${world.hash(text)}`, expires };
}

/** What a token says, or undefined where it is wrong, expired or presented with another referer. */
export function readToken(world: World, token: string, referer: string | undefined): TokenFacts | undefined {
  if (token.startsWith('AAPK')) return readApiKey(world, token);
  const [text, signature] = token.split('.');
  if (!text || !signature || !world.matches(text, signature)) return undefined;
  const facts = JSON.parse(Buffer.from(text, 'base64url').toString()) as TokenFacts;
  if (facts.expires <= Date.now()) return undefined;
  if (facts.generation !== world.portal.tokenGeneration) return undefined;
  if (facts.referer !== undefined && !(referer ?? '').startsWith(facts.referer)) return undefined;
  return facts;
}

/** API keys and developer credentials exist from 11.5 (docs/portal-interface.md, "Sign-in"). */
function readApiKey(world: World, key: string): TokenFacts | undefined {
  if (!world.settings.release.atLeast('11.5') || key !== builtInApiKey) return undefined;
  return { username: 'owner', kind: 'apiKey', expires: Infinity, generation: 0 };
}

/** The one API key that every simulated portal from 11.5 on knows; it acts as the user `owner`. */
export const builtInApiKey = 'AAPKsimulated0123456789';

/** The one application that every simulated portal knows. */
export const builtInApplication = { clientId: 'simulated-app', clientSecret: 'simulated-app-secret' };
