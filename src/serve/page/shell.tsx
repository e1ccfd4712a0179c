import type { ComponentChildren } from 'preact';
import { ownLine } from '../../model/text/plain-text';
import { Words } from './parts/words';
import { type Visit, VisitContext } from './visit';

/** The main navigation, in order. */
const rooms = [
  ['/', 'Now'],
  ['/runs', 'Runs'],
  ['/pipelines', 'Pipelines'],
  ['/backups', 'Backups'],
  ['/coverage', 'Coverage'],
  ['/items', 'Items'],
  ['/schedules', 'Schedules'],
  ['/audit', 'Audit'],
] as const;

interface ShellProps {
  readonly visit: Visit;
  readonly title: string;
  /** URL of the event stream that reports changes to what is shown. */
  readonly live?: string;
  readonly children?: ComponentChildren;
}

/** The frame of every page. */
export const Shell = ({ visit, title, live, children }: ShellProps) => {
  const { assets, caller } = visit;
  return (
    <VisitContext.Provider value={visit}>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${ownLine(title.slice(0, 200))} · Portolan`}</title>
          <link rel="icon" type="image/svg+xml" href={assets.mark} />
          <link rel="stylesheet" href={assets.style} />
          <script src={assets.script} defer />
        </head>
        <body>
          <a class="skip" href="#main">
            Skip to content
          </a>
          <header>
            <a class="name" href="/">
              Portolan
            </a>
            {caller && <Rooms path={visit.path} />}
            {caller && <Who visit={visit} />}
          </header>
          <p id="changed" class="changed" role="status" hidden>
            New data available. <a href="">Reload</a>
          </p>
          <main id="main" data-live={live} data-now={visit.now}>
            {children}
          </main>
        </body>
      </html>
    </VisitContext.Provider>
  );
};

const Rooms = ({ path }: { readonly path: string }) => (
  <nav aria-label="Main">
    {rooms.map(([at, name]) => (
      <a href={at} aria-current={isIn(path, at) ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

const isIn = (path: string, at: string): boolean =>
  at === '/' ? path === '/' : path === at || path.startsWith(`${at}/`);

const Who = ({ visit: { caller, mayLeave, csrf } }: { readonly visit: Visit }) => (
  <div class="who">
    {caller && (
      <span title={caller.identity === 'claimed' ? 'unverified identity' : undefined}>
        <Words text={caller.who} most={60} />
      </span>
    )}
    {mayLeave && (
      <form method="post" action="/sign-out">
        {csrf !== undefined && <input type="hidden" name="_csrf" value={csrf} />}
        <button type="submit" class="quiet">
          Sign out
        </button>
      </form>
    )}
  </div>
);
