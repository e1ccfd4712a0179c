/** Source of an identity: claimed by the sending machine and unverified, an API key, or a portal sign-in. */
export const identities = ['claimed', 'key', 'portal'] as const;
export type Identity = (typeof identities)[number];

/** A person who starts a run or decides. */
export interface Person {
  /** `user@host` as the system says, the name of a key, or `user@portal`. */
  readonly who: string;
  readonly identity: Identity;
}

/** Source of a verified sender. */
export const identityOf = ({ proof }: Signed): Identity => proof?.identity ?? 'claimed';

/** Proves that a start or decision comes from a holder of the control key, unmodified. */
export interface Proof {
  /** When it was signed, milliseconds since 1970. Absent in a schedule's start, which does not expire. */
  readonly at?: number;
  /** Distinguishes equal messages. Absent in a schedule's start. */
  readonly nonce?: string;
  readonly identity: Identity;
  /** HMAC-SHA256 in hex. */
  readonly mac: string;
}

/** A message through Temporal that counts only if signed. */
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

/** A decision as its workflow received it. */
export interface ReceivedAnswer {
  readonly workflowId: string;
  /** Of the signal. */
  readonly name: string;
  readonly message: Signed;
  /** False if the workflow refuses it anyway. @default true */
  readonly fits?: boolean;
}

/** Query that returns the outcome of a signed answer by its nonce; nothing while the workflow has not accepted it. */
export const outcomeQueryName = 'outcome';

/** What became of a signed answer. */
export type AnswerOutcome =
  /** It is authentic; what it asks for is still being checked. */
  | { readonly status: 'checking' }
  | { readonly status: 'accepted'; readonly answer: string }
  /** The hint is empty if the code's own does not help. */
  | { readonly status: 'refused'; readonly code: string; readonly message: string; readonly hint: string };
