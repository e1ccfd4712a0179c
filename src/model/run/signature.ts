/**
 * How it is known who somebody is: claimed by the machine that sent it, and proven by nobody; by an API key; or signed in
 * at a portal.
 */
export const identities = ['claimed', 'key', 'portal'] as const;
export type Identity = (typeof identities)[number];

/** Somebody who starts or answers. */
export interface Person {
  /** `user@host` as the system says, the name of a key, or `user@portal`. */
  readonly who: string;
  readonly identity: Identity;
}

/** How it is known who sent something, where its proof was verified. */
export const identityOf = ({ proof }: Signed): Identity => proof?.identity ?? 'claimed';

/** Shows that a start or an answer comes from somebody who has the control key, and is as it was sent. */
export interface Proof {
  /** When it was signed, milliseconds since 1970. Absent of what a schedule starts, which does not grow old. */
  readonly at?: number;
  /** Tells two messages apart that say the same. Absent of what a schedule starts. */
  readonly nonce?: string;
  readonly identity: Identity;
  /** HMAC-SHA256 in hex. */
  readonly mac: string;
}

/** What travels through Temporal and counts only with a proof. */
export interface Signed {
  readonly proof?: Proof;
}

/** A start as its workflow received it. */
export interface ReceivedStart {
  readonly workflowType: string;
  readonly workflowId: string;
  /** Temporal's id of the first execution: the same for all that continue it. */
  readonly execution: string;
  readonly input: Signed & { readonly runId?: string };
}

/** The kind of run that a workflow type names: `category-schema` for `categorySchema`. */
export const kindOfType = (workflowType: string): string =>
  workflowType.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** An answer as a workflow received it. */
export interface ReceivedAnswer {
  readonly workflowId: string;
  /** Of the update or signal. */
  readonly name: string;
  readonly message: Signed;
}
