/** Query that returns the outcome of a signed answer by its nonce; nothing while the workflow has not accepted it. */
export const outcomeQueryName = 'outcome';

/** What became of a signed answer. */
export type AnswerOutcome =
  /** It is authentic; what it asks for is still being checked. */
  | { readonly status: 'checking' }
  | { readonly status: 'accepted'; readonly answer: string }
  /** The hint is empty if the code's own does not help. */
  | { readonly status: 'refused'; readonly code: string; readonly message: string; readonly hint: string };
