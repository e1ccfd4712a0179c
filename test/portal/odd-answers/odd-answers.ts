import { bodies, downloads } from './bodies';
import { envelopes } from './envelopes';
import { connections } from './connections';
import type { OddAnswer } from './odd-answer';
import { pages } from './pages';
import { redirects } from './redirects';
import { jobs, signIns } from './sign-ins-and-jobs';

export const oddAnswers: readonly OddAnswer[] = [
  ...connections,
  ...redirects,
  ...pages,
  ...envelopes,
  ...bodies,
  ...downloads,
  ...signIns,
  ...jobs,
];
