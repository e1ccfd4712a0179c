import { bodies, downloads } from './bodies';
import { envelopes } from './envelopes';
import { connections } from './connections';
import type { OddAnswer } from './odd-answer';
import { pages } from './pages';
import { redirects } from './redirects';
import { jobs, signIns } from './sign-ins-and-jobs';

/** Every odd answer, in the groups of docs/reference/errors.md. */
export const oddAnswers: readonly { readonly title: string; readonly answers: readonly OddAnswer[] }[] = [
  { title: 'Connections', answers: connections },
  { title: 'Redirects', answers: redirects },
  { title: 'Pages and statuses', answers: pages },
  { title: 'Errors in JSON', answers: envelopes },
  { title: 'Bodies', answers: bodies },
  { title: 'Downloads', answers: downloads },
  { title: 'Sign-in', answers: signIns },
  { title: 'Jobs', answers: jobs },
];
