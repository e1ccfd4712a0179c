import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { PortalOptions } from '../client';
import { baseUrl } from '../http/address';
import { type Answer, jsonOf, valueIn } from '../http/response';
import { type Body, formBody } from '../http/body';
import { Connection } from '../http/connection';
import { Deadline } from '../http/deadline';
import { requiredId } from '../http/ids';
import { JSON_BYTES_MAX, timeoutsFor } from '../http/limits';
import { label, readableOf, requiredText, text } from '../http/reading';

/** A person signed in at a portal, as the portal reports. */
export interface PortalPerson {
  /** As the portal writes it. */
  readonly username: string;
  /** `org_admin` and the like, or the ID of a custom role. */
  readonly role?: string;
  /** Ids of the groups that they are in. */
  readonly groups: readonly string[];
}

/** A sign-in under way, which only who began it may know. */
export interface BegunSignIn {
  readonly state: string;
  readonly verifier: string;
}

/** No more of it is taken: a portal that were to add what the library knows would have it checked as such. */
const tokens = z.object({ access_token: requiredText, refresh_token: text });

const person = z.looseObject({
  username: requiredId('user'),
  role: label,
  roleId: label,
  groups: readableOf(z.looseObject({ id: requiredId('group') })),
});

/**
 * People sign in at a portal, by its own page, at an application that is registered there: OAuth 2.0 with a code and
 * PKCE. What their token opens is read once, and the token given back. docs/reference/portal-interface.md, "Sign-in"
 */
export class PersonSignIn {
  readonly #name: string;
  readonly #url: string;
  readonly #connection: Connection;
  readonly #client: oauth.Client;
  readonly #server: oauth.AuthorizationServer;
  readonly #withinMs: number;

  /** @throws PortolanError CONFIG_INVALID, INSECURE_URL */
  constructor(options: Omit<PortalOptions, 'auth'> & { readonly appId: string }) {
    const { name, insecure, appId } = options;
    this.#name = name;
    const url = (this.#url = baseUrl(options.url, { name, insecure }));
    const timeouts = timeoutsFor(options.responseTimeoutMs);
    this.#withinMs = timeouts.signIn;
    this.#connection = new Connection({ ...options, url, timeouts });
    this.#client = { client_id: appId };
    this.#server = {
      issuer: url,
      authorization_endpoint: `${url}/oauth2/authorize`,
      token_endpoint: `${url}/oauth2/token`,
    };
  }

  /** Drops all connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The URL of the portal's sign-in page, and the state to keep until the person returns. */
  async begin(redirectUri: string): Promise<BegunSignIn & { readonly url: string }> {
    const state = oauth.generateRandomState();
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(this.#server.authorization_endpoint ?? '');
    const asked = {
      client_id: this.#client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, text] of Object.entries(asked)) url.searchParams.set(name, text);
    return { url: url.href, state, verifier };
  }

  /**
   * Who has come back.
   * @param came the query that they came with
   * @throws PortolanError CREDENTIALS_REFUSED where it is not the answer to what was begun, or the portal does not stand
   *   by it; errors of the connection as they are
   */
  async end(redirectUri: string, begun: BegunSignIn, came: URLSearchParams): Promise<PortalPerson> {
    const { access_token, refresh_token } = await this.#exchange(redirectUri, begun, came);
    const tokens = [access_token, ...(refresh_token === undefined ? [] : [refresh_token])];
    for (const token of tokens) this.#connection.scrubber.learnPassing(token);
    try {
      return await this.#whoHas(access_token);
    } finally {
      await Promise.all(tokens.map((token) => this.#revoke(token)));
    }
  }

  async #exchange(
    redirectUri: string,
    { state, verifier }: BegunSignIn,
    came: URLSearchParams,
  ): Promise<oauth.TokenEndpointResponse> {
    try {
      const answer = await oauth.authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        oauth.None(),
        oauth.validateAuthResponse(this.#server, this.#client, came, state),
        redirectUri,
        verifier,
        {
          additionalParameters: { f: 'json' },
          [oauth.customFetch]: (_url, { body }) => this.#tokens(body),
          // The connection has its own rule for plain http: portals of this machine, and where it is allowed.
          [oauth.allowInsecureRequests]: true,
        },
      );
      return await oauth.processAuthorizationCodeResponse(this.#server, this.#client, answer);
    } catch (thrown) {
      throw this.#refusal(thrown);
    }
  }

  /**
   * What the token service answers, in the form of RFC 6749: a portal names no `token_type`, and answers its errors with
   * HTTP 200. It is asked over the portal's own connection, for its certificates, proxy and bounds.
   */
  async #tokens(form: URLSearchParams): Promise<Response> {
    const operation = 'person.token';
    const given = await this.#ask(operation, 'oauth2/token', formBody([...form]), (answer) =>
      valueIn(answer, tokens, this.#context(operation)),
    );
    return Response.json({ ...given, token_type: 'bearer' });
  }

  async #whoHas(token: string): Promise<PortalPerson> {
    const operation = 'person.self';
    const { username, role, roleId, groups } = await this.#ask(
      operation,
      'community/self',
      formBody([['f', 'json']]),
      (answer) => valueIn(answer, person, this.#context(operation)),
      { 'x-esri-authorization': `Bearer ${token}` },
    );
    return { username, role: roleId || role, groups: groups.map(({ id }) => id) };
  }

  /** A token that the portal keeps all the same ends by itself, and nobody has it. */
  async #revoke(token: string): Promise<void> {
    const operation = 'person.revoke';
    const pairs: [string, string][] = [
      ['client_id', this.#client.client_id],
      ['auth_token', token],
      ['f', 'json'],
    ];
    await this.#ask(operation, 'oauth2/revokeToken', formBody(pairs), (answer) =>
      jsonOf(answer, this.#context(operation)),
    ).catch(() => undefined);
  }

  async #ask<T>(
    operation: string,
    path: string,
    body: Body,
    judge: (answer: Answer) => T,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const deadline = new Deadline(undefined, this.#withinMs);
    try {
      return await this.#connection.read(
        {
          operation,
          method: 'POST',
          url: new URL(`${this.#url}/${path}`),
          body,
          deadline,
          headers: { accept: 'application/json', ...headers },
          follow: 'never',
        },
        JSON_BYTES_MAX,
        judge,
      );
    } finally {
      deadline.release();
    }
  }

  #context(operation: string) {
    return { portal: this.#name, operation, scrubber: this.#connection.scrubber };
  }

  #refusal(thrown: unknown): PortolanError {
    const portal = this.#name;
    const hint = 'Sign in again. If that fails too, check the app registration on the portal.';
    if (PortolanError.is(thrown, 'BAD_REQUEST', 'PERMISSION_DENIED', 'TOKEN_REFUSED'))
      return new PortolanError('CREDENTIALS_REFUSED', thrown.plainMessage, { ...thrown.facts, hint });
    if (thrown instanceof oauth.AuthorizationResponseError) {
      // They stand in an address that anybody can make up.
      const words = this.#connection.scrubber.excerpt(thrown.error_description ?? thrown.error, 200);
      const message = `${portal} refused the sign-in: ${words}`;
      return new PortolanError('CREDENTIALS_REFUSED', message, { portal, portalWords: words, hint });
    }
    if (thrown instanceof oauth.OperationProcessingError) {
      const message = `The response does not belong to this sign-in at ${portal}.`;
      return new PortolanError('CREDENTIALS_REFUSED', message, { portal, hint: 'Sign in again.' });
    }
    return PortolanError.from(thrown);
  }
}
