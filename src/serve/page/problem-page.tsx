import type { Problem } from '../problem';
import { Lines, Words } from './parts/words';

interface ProblemPageProps {
  readonly problem: Problem;
  /** Whether sign-in is configured. */
  readonly hasSignIn: boolean;
  /** Whether the caller is signed in. */
  readonly isIn: boolean;
}

/** What happened and what to do next. */
export const ProblemPage = ({ problem, hasSignIn, isIn }: ProblemPageProps) => (
  <>
    <h1>{titles[problem.status] ?? 'Request failed'}</h1>
    <ProblemBox problem={problem} />
    {!isIn && !hasSignIn && (
      <p>
        To use the web UI, configure sign-in at a portal: <code>serve.signIn</code> in portolan.yaml. If{' '}
        <code>serve</code> listens only on this machine, you can set <code>serve.open: true</code> instead, as{' '}
        <code>portolan up</code> does.
      </p>
    )}
    <p>{isIn ? <a href="/">Back to Now</a> : hasSignIn && <a href="/sign-in">Sign in</a>}</p>
  </>
);

/** A problem, shown above a page. */
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
        Portal message: “<Words text={portalWords} most={500} />”
      </p>
    )}
    <p>
      <Lines text={hint} />
    </p>
  </div>
);

const titles: Readonly<Record<number, string>> = {
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  503: 'Temporarily unavailable',
};
