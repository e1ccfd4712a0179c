import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Allowance, SignInConfig } from '../../config/config';
import type { Person } from '../../model/run/proof';
import { allowanceOf, telling } from '../../service/sign-in/people';
import type { PortalPerson } from '../../service/sign-in/portal-sign-in';
import { Refusal } from '../problem';
import type { Seals } from './seal';

/** Somebody who has signed in: who they are, and never what they may. */
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

/** What a program that a person has signed in for is given, for the verifier of its challenge. */
const code = session.extend({ challenge: z.string() });

/** How long such a program may take to come for its session. @format milliseconds */
const CODE_MS = 60_000;

/** Sessions of people, which they carry themselves, sealed. */
export class Sessions {
  constructor(
    private readonly signIn: SignInConfig,
    private readonly seals: Seals,
  ) {}

  /** What a browser gets as a cookie, or a program as a bearer token. */
  async begin(
    carrier: 'cookie' | 'bearer',
    person: PortalPerson,
  ): Promise<Session & { readonly sealed: string }> {
    // As exactly as a seal keeps it.
    const until = new Date(Math.floor((Date.now() + this.signIn.sessionMs) / 1000) * 1000);
    const content = this.contentOf(person);
    return { ...content, until, sealed: await this.seals.seal(carrier, content, until) };
  }

  /** Of what somebody sent; undefined where it is none, or none any more. */
  async read(carrier: 'cookie' | 'bearer', sealed: string): Promise<Session | undefined> {
    const read = await this.seals.unseal(carrier, sealed, session);
    return read && { ...read.content, until: read.until };
  }

  /** A code that somebody's program changes for a session of theirs. @param challenge sha256 of a verifier, base64url */
  async code(person: PortalPerson, challenge: string): Promise<string> {
    const content = { ...this.contentOf(person), challenge };
    return await this.seals.seal('code', content, new Date(Date.now() + CODE_MS));
  }

  /** Whose code it is. Throws where it is none, or of another challenge. */
  async personOf(sealed: string, challenge: string): Promise<PortalPerson> {
    const read = await this.seals.unseal('code', sealed, code);
    if (read?.content.challenge === challenge) return read.content;
    throw new Refusal(
      400,
      'SIGN_IN_OVER',
      'The code has expired, or is for another program or server.',
      'Sign in again.',
    );
  }

  /** Who asks with it, and what the configuration lets them do now. Throws where that is nothing. */
  callerOf({
    portal,
    ...person
  }: Pick<Session, 'portal' | 'username' | 'role' | 'groups'>): Person & Allowance {
    const who = `${person.username}@${portal}`;
    const allowance = portal === this.signIn.portal ? allowanceOf(this.signIn, person) : undefined;
    if (allowance) return { who, identity: 'portal', ...allowance };
    throw new Refusal(
      403,
      'PERSON_REFUSED',
      `${who} is signed in, but has no entry in serve.signIn.people.`,
      'Ask the server administrator. Group and role changes apply at the next sign-in.',
    );
  }

  /** The same of somebody who has just come from the portal. */
  callerFor(person: PortalPerson): Person & Allowance {
    return this.callerOf({ ...person, groups: [...person.groups], portal: this.signIn.portal });
  }

  private contentOf(person: PortalPerson): SessionContent {
    const { username, role, groups } = telling(this.signIn, person);
    return { id: randomUUID(), portal: this.signIn.portal, username, role, groups: [...groups] };
  }
}
