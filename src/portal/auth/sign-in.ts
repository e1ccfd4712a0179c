import { PortolanError } from '../../model/errors/errors';
import { type Answer, jsonOf } from '../http/response';
import { TOKEN_MINUTES } from '../http/limits';
import { toNumber, toRecord, toText } from '../http/reading';
import { portalError } from '../http/response-limits';
import type { Scrubber } from '../http/scrubber';

/** Sign-in settings of a portal. Secrets are read when needed, never stored in a configuration. */
export type PortalAuth =
  | { readonly type: 'password'; readonly username: string; readonly secret: () => Promise<string> }
  | { readonly type: 'token'; readonly secret: () => Promise<string> }
  | { readonly type: 'apiKey'; readonly secret: () => Promise<string> }
  | { readonly type: 'clientCredentials'; readonly clientId: string; readonly secret: () => Promise<string> };

/** The token a portal issued. */
export interface Grant {
  readonly value: string;
  /** Its remaining lifetime; undefined if not reported. @format milliseconds */
  readonly lifetimeMs?: number;
}

/** What a sign-in needs from the connection. */
export interface SignInConnection {
  readonly name: string;
  /** Sent as Referer with the sign-in and with every later request: the token is bound to it. */
  readonly referer: string;
  readonly scrubber: Scrubber;
  post<T>(
    operation: string,
    path: string,
    pairs: [string, string][],
    judge: (answer: Answer) => T,
  ): Promise<T>;
}

/**
 * Signs in once. docs/reference/portal-interface.md, "Sign-in"
 *
 * @throws PortolanError CREDENTIALS_REFUSED naming the portal; errors of the connection as they are
 */
export async function signIn(connection: SignInConnection, auth: PortalAuth, secret: string): Promise<Grant> {
  switch (auth.type) {
    case 'token':
    case 'apiKey':
      return { value: secret };
    case 'password':
      return ask(connection, 'generateToken', [
        ['username', auth.username],
        ['password', secret],
        ['client', 'referer'],
        ['referer', connection.referer],
        ['expiration', String(TOKEN_MINUTES)],
        ['f', 'json'],
      ]);
    case 'clientCredentials':
      return ask(connection, 'oauth2/token', [
        ['client_id', auth.clientId],
        ['client_secret', secret],
        ['grant_type', 'client_credentials'],
        ['expiration', String(TOKEN_MINUTES)],
        ['f', 'json'],
      ]);
  }
}

/**
 * A token for a federated server, from the portal's own.
 * @throws PortolanError the portal's own error: TOKEN_REFUSED for the token, another for a server that is
 *   not one of its
 */
export const exchangeToken = async (
  connection: SignInConnection,
  token: string,
  serverUrl: string,
): Promise<Grant> => {
  const pairs: [string, string][] = [
    ['token', token],
    ['serverUrl', serverUrl],
    ['client', 'referer'],
    ['referer', connection.referer],
    ['expiration', String(TOKEN_MINUTES)],
    ['f', 'json'],
  ];
  return connection.post('exchangeToken', 'generateToken', pairs, (answer) =>
    grantIn(connection, 'exchangeToken', answer),
  );
};

const ask = (connection: SignInConnection, path: string, pairs: [string, string][]): Promise<Grant> =>
  connection.post('signIn', path, pairs, (answer) => {
    try {
      return grantIn(connection, 'signIn', answer);
    } catch (error) {
      throw PortolanError.is(error, 'BAD_REQUEST', 'PERMISSION_DENIED', 'TOKEN_REFUSED')
        ? refusal(connection.name, error)
        : error;
    }
  });

function grantIn({ name, scrubber }: SignInConnection, operation: string, answer: Answer): Grant {
  const fields = toRecord(jsonOf(answer, { portal: name, operation, scrubber })) ?? {};
  const value = toText(fields['token']) ?? toText(fields['access_token']);
  if (value) {
    scrubber.learnPassing(value);
    return { value, lifetimeMs: lifetimeOf(fields, answer) };
  }
  throw portalError('BAD_RESPONSE', name, operation, 'returned no token for the sign-in', {
    httpStatus: answer.status,
  });
}

function refusal(portal: string, error: PortolanError): PortolanError {
  const words = error.facts.portalWords ?? '';
  return new PortolanError('CREDENTIALS_REFUSED', `${portal} refused the sign-in: ${words}`, {
    ...error.facts,
    ...(/too many/i.test(words) && {
      hint: 'The portal has locked the account for a while. Wait before you try again.',
    }),
  });
}

/** By the portal's own clock where it shows one, since `expires` is a time of that clock. */
function lifetimeOf(fields: Record<string, unknown>, answer: Answer): number | undefined {
  const seconds = toNumber(fields['expires_in']) ?? toNumber(fields['expiration']);
  const expires = toNumber(fields['expires']);
  const date = Date.parse([answer.headers['date']].flat()[0] ?? '');
  const ms = expires === undefined ? (seconds ?? Number.NaN) * 1000 : expires - (date || Date.now());
  return ms > 0 ? ms : undefined;
}
