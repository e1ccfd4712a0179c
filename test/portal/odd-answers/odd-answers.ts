import type { PlaceName } from './places';
import { bodies, downloads } from './bodies';
import { envelopes } from './envelopes';
import { connections } from './connections';
import type { OddAnswer } from './odd-answer';
import { pages } from './pages';
import { redirects } from './redirects';
import { jobs, signIns } from './sign-ins-and-jobs';

/** Answers to one call, unless they name others. */
const to = (place: PlaceName, answers: readonly OddAnswer[]) =>
  answers.map((answer) => ({ on: [place], ...answer }));

export const oddAnswers: readonly OddAnswer[] = [
  ...connections,
  ...redirects,
  ...pages,
  ...envelopes,
  ...bodies,
  ...to('download', downloads),
  ...to('signIn', signIns),
  ...to('poll', jobs),
];
