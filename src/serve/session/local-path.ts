/** An address of no host: what it takes to see where a path would lead a browser. */
const NOWHERE = 'http://nowhere.invalid';

/** Longer ones are no page of this server. @format characters */
const PATH_MAX = 1_000;

/** A path of this server with its query, as a browser reads it; `/` for whatever would lead elsewhere. */
export function localPath(given = '/'): string {
  if (given.length > PATH_MAX || !given.startsWith('/') || !URL.canParse(given, NOWHERE)) return '/';
  const { origin, pathname, search } = new URL(given, NOWHERE);
  // "/.//host" is read as "//host", which is another host.
  return origin === NOWHERE && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
}
