import { PortolanError } from '../../model/errors/errors';
import type { Connection } from '../http/connection';
import type { Deadline } from '../http/deadline';
import type { PortalRequest } from '../http/request';
import type { Session, Token } from './session';

type SignedRequest = Pick<PortalRequest<unknown>, 'operation' | 'method' | 'keepsToken'>;

/**
 * Calls under the token of a session. One that the portal refuses is renewed once and the call repeated; a page in
 * place of an answer renews it too, but repeats reads only, since a write may have begun. A read that ends with a server
 * error is also repeated once: many readers take a server error for an answer, and it may have been a passing one.
 */
export class SignedCalls {
  readonly #session: Session;
  readonly #connection: Connection;

  constructor(session: Session, connection: Connection) {
    this.#session = session;
    this.#connection = connection;
  }

  async attempt<T>(
    deadline: Deadline,
    { operation, method = 'GET', keepsToken }: SignedRequest,
    attempt: (token: Token) => Promise<T>,
  ): Promise<T> {
    const token = await this.waitFor(deadline, operation, this.#session.current());
    try {
      return await attempt(token);
    } catch (error) {
      const code = error instanceof PortolanError ? error.code : undefined;
      if (code === 'SERVER_ERROR' && method === 'GET') return attempt(token);
      if (keepsToken || (code !== 'TOKEN_REFUSED' && code !== 'HTML_RESPONSE')) throw error;
      const renewal = this.waitFor(deadline, operation, this.#session.renew(token));
      if (code === 'TOKEN_REFUSED') return attempt(await renewal).catch(refusedAgain);
      // A page says nothing about the token, so it stays the error where no other token can be had.
      const renewed = await renewal.catch(() => undefined);
      if (!renewed || method !== 'GET') throw error;
      return attempt(renewed);
    }
  }

  /** What signing in comes to, unless the call's time is over before. @throws PortolanError in words of this call */
  async waitFor<T>(deadline: Deadline, operation: string, signingIn: Promise<T>): Promise<T> {
    try {
      return await deadline.race(signingIn);
    } catch (error) {
      throw this.#connection.fault(error, operation, deadline);
    }
  }
}

/** The table's hint is for tokens that were given to us; this one was not. */
function refusedAgain(error: unknown): never {
  const hint =
    "The portal refuses a token that it just issued. Check its clock, and that url is the portal's own address.";
  const again = PortolanError.is(error, 'TOKEN_REFUSED') && error.facts.hint === undefined;
  throw again ? error.with({ hint }) : error;
}
