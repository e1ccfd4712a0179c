import { createHash } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import { REFUSAL_REMEMBERED_MS, RENEW_AHEAD_MS } from '../http/limits';
import type { Scrubber } from '../http/scrubber';
import type { Grant, PortalAuth } from './sign-in';

/** A token in use, compared by identity: each renewal creates another object. */
export interface Token {
  readonly value: string;
  /** @format milliseconds since the epoch; Infinity where nobody said */
  readonly renewAt: number;
}

/**
 * The token of one portal, shared by all who call it: signed in on first use, renewed ahead of its end,
 * and once when the portal refuses it. Whoever needs a new one while it is on its way waits for that one.
 */
export class Session {
  #token: Token | undefined;
  #underway: Promise<Token> | undefined;
  #refused: { readonly secretHash: string; readonly at: number; readonly error: PortolanError } | undefined;

  constructor(
    private readonly options: {
      readonly name: string;
      readonly auth: PortalAuth;
      readonly scrubber: Scrubber;
      readonly signIn: (secret: string) => Promise<Grant>;
    },
  ) {}

  /** The current token, or a new one if there is none or it is about to expire. */
  current(): Promise<Token> {
    const token = this.#token;
    if (token && Date.now() < token.renewAt) return Promise.resolve(token);
    return this.#renewal();
  }

  /**
   * Another token than the one that was refused; the present one where it is another already.
   * @throws PortolanError TOKEN_REFUSED where it came ready-made and its source holds no other
   */
  async renew(refused: Token): Promise<Token> {
    if (this.#token && this.#token !== refused) return this.#token;
    const token = await this.#renewal();
    if (token.value !== refused.value || this.#renewable()) return token;
    const { name, auth } = this.options;
    throw new PortolanError(
      'TOKEN_REFUSED',
      `${name} refuses the configured ${auth.type === 'apiKey' ? 'API key' : 'token'}, which Portolan cannot renew.`,
      { portal: name },
    );
  }

  #renewable(): boolean {
    const { type } = this.options.auth;
    return type === 'password' || type === 'clientCredentials';
  }

  #renewal(): Promise<Token> {
    this.#underway ??= this.#signIn().finally(() => {
      this.#underway = undefined;
    });
    return this.#underway;
  }

  async #signIn(): Promise<Token> {
    const { auth, scrubber, signIn } = this.options;
    const secret = await auth.secret();
    scrubber.learn(secret);
    const secretHash = createHash('sha256').update(secret).digest('hex');
    const refused = this.#refused;
    const againInMs = (refused?.at ?? 0) + REFUSAL_REMEMBERED_MS - Date.now();
    if (refused && refused.secretHash === secretHash && againInMs > 0) throw remembered(refused, againInMs);
    try {
      const { value, lifetimeMs } = await signIn(secret);
      scrubber.learnPassing(value);
      this.#refused = undefined;
      return (this.#token = { value, renewAt: renewAt(lifetimeMs) });
    } catch (error) {
      if (PortolanError.is(error, 'CREDENTIALS_REFUSED'))
        this.#refused = { secretHash, at: Date.now(), error };
      throw error;
    }
  }
}

/** The same refusal, noting that the portal was not asked again. */
function remembered({ at, error }: { at: number; error: PortolanError }, againInMs: number): PortolanError {
  const since = new Date(at).toISOString().slice(11, 19);
  const note = `refused at ${since} UTC; Portolan retries in ${Math.ceil(againInMs / 1000)} s`;
  return new PortolanError(error.code, `${error.plainMessage} (${note})`, error.facts, { cause: error });
}

function renewAt(lifetimeMs: number | undefined): number {
  if (lifetimeMs === undefined) return Number.POSITIVE_INFINITY;
  return Date.now() + lifetimeMs - Math.min(RENEW_AHEAD_MS, lifetimeMs / 2);
}
