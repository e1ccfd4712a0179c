import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Allowance, SignInConfig } from '../../config/config';
import type { Person } from '../../model/run/signature';
import { permissionsOf, keepConfiguredGroups } from '../../service/sign-in/people';
import type { PortalPerson } from '../../service/sign-in/portal-sign-in';
import { Refusal } from '../problem';
import type { SealedTokens } from './seal';

/** A signed-in person's identity. Rights are looked up at each request. */
const session = z.object({
  id: z.string(),
  portal: z.string(),
  username: z.string(),
  role: z.string().optional(),
  groups: z.array(z.string()),
});
type SessionContent = z.infer<typeof session>;

export interface Session extends SessionContent {
  readonly until: Date;
}

/** The code that a program exchanges, with the verifier of its challenge, for a session. */
const code = session.extend({ challenge: z.string() });

/** How long a sign-in lasts. @format milliseconds */
const SESSION_MS = 12 * 3_600_000;

/** How long such a code is valid. @format milliseconds */
const CODE_MS = 60_000;

/** Sessions, which browsers and programs carry themselves, sealed. */
export class Sessions {
  constructor(
    private readonly signIn: SignInConfig,
    private readonly seals: SealedTokens,
  ) {}

  /** Who has just signed in. */
  contentOf(person: PortalPerson): SessionContent {
    const { username, role, groups } = keepConfiguredGroups(this.signIn, person);
    return { id: randomUUID(), portal: this.signIn.portal, username, role, groups: [...groups] };
  }

  /** Begins a session: a cookie for a browser, a bearer token for a program. */
  async begin(
    carrier: 'cookie' | 'bearer',
    content: SessionContent,
  ): Promise<{ readonly sealed: string; readonly until: Date }> {
    // A seal keeps whole seconds.
    const until = new Date(Math.floor((Date.now() + SESSION_MS) / 1000) * 1000);
    return { until, sealed: await this.seals.seal(carrier, content, until) };
  }

  /** The session in a cookie or token; undefined if it is invalid or has expired. */
  async read(carrier: 'cookie' | 'bearer', sealed: string): Promise<Session | undefined> {
    const read = await this.seals.unseal(carrier, sealed, session);
    return read && { ...read.content, until: read.until };
  }

  /** A code that a program exchanges for a session. @param challenge sha256 of a verifier, base64url */
  async code(content: SessionContent, challenge: string): Promise<string> {
    return await this.seals.seal('code', { ...content, challenge }, new Date(Date.now() + CODE_MS));
  }

  /** Who a code is for. Throws if it is invalid or for another challenge. */
  async readCode(sealed: string, challenge: string): Promise<SessionContent> {
    const read = await this.seals.unseal('code', sealed, code);
    if (read?.content.challenge === challenge) return session.parse(read.content);
    throw new Refusal(
      400,
      'SIGN_IN_OVER',
      'The code has expired, is for another program, or is not from this server.',
      'Sign in again.',
    );
  }

  /** The person and the rights the configuration gives them now. Throws if there are none. */
  callerOf({ portal, ...person }: SessionContent): Person & Allowance {
    const who = `${person.username}@${portal}`;
    const allowance = portal === this.signIn.portal ? permissionsOf(this.signIn, person) : undefined;
    if (allowance) return { who, identity: 'portal', ...allowance };
    throw new Refusal(
      403,
      'PERSON_REFUSED',
      `${who} signed in, but no entry of serve.signIn.people matches.`,
      'Ask the server administrator for access. If your groups or role have changed, sign in again.',
    );
  }
}
