import type { Problem } from '../problem';
import { Lines, Words } from './parts/words';

interface ProblemPageProps {
  readonly problem: Problem;
  /** People sign in here. */
  readonly hasSignIn: boolean;
  /** Whoever looks has been let in. */
  readonly isIn: boolean;
}

/** What was seen, what is needed, and what to do next. */
export const ProblemPage = ({ problem, hasSignIn, isIn }: ProblemPageProps) => (
  <>
    <h1>{titles[problem.status] ?? 'That did not work'}</h1>
    <ProblemBox problem={problem} />
    {!isIn && !hasSignIn && (
      <p>
        People look at these pages where they sign in at a portal, by <code>serve.signIn</code> of
        portolan.yaml; or, at an address of this machine, where <code>serve.open</code> is true, as{' '}
        <code>portolan up</code> has it.
      </p>
    )}
    <p>{isIn ? <a href="/">Back to what goes on now</a> : hasSignIn && <a href="/sign-in">Sign in</a>}</p>
  </>
);

/** The same above a page that goes on. */
export const ProblemBox = ({
  problem: { title, detail, hint, portalWords },
}: {
  readonly problem: Problem;
}) => (
  <div class="banner bad" role="alert" id="problem">
    <p>
      <strong>{title}</strong> <Lines text={detail} />
    </p>
    {portalWords !== undefined && (
      <p>
        The portal's words: “<Words text={portalWords} most={500} />”
      </p>
    )}
    <p>
      <Lines text={hint} />
    </p>
  </div>
);

const titles: Readonly<Record<number, string>> = {
  401: 'Nobody is signed in',
  403: 'That is not yours to do',
  404: 'There is nothing here',
  503: 'That cannot be told for now',
};
