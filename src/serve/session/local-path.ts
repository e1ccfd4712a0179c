/** A placeholder host, to resolve a path as a browser would. */
const NOWHERE = 'http://nowhere.invalid';

/** No page of this server has a longer path. @format characters */
const PATH_MAX = 1_000;

/** A path and query of this server; `/` for anything that would lead to another host. */
export function localPath(given = '/'): string {
  if (given.length > PATH_MAX || !given.startsWith('/') || !URL.canParse(given, NOWHERE)) return '/';
  const { origin, pathname, search } = new URL(given, NOWHERE);
  // Browsers read "/.//host" as "//host", which is another host.
  return origin === NOWHERE && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
}
