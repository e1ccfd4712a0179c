import { notFoundError, resolveId } from '../resolve-id';
import type { Releases } from './releases';

const latest = /^latest(?::(.+))?$/;

/**
 * The ID of the release that a person means: its ID, a unique end of it, `latest`, or `latest:PIPELINE`. The release may
 * be unreadable. Throws RELEASE_NOT_FOUND and USAGE.
 */
export async function findRelease(releases: Releases, text: string): Promise<string> {
  const { where } = releases.store;
  const desired = latest.exec(text);
  if (!desired) return resolveId('release', text, (await releases.ids()).sort(), where);
  const [, pipeline] = desired;
  const known = (await releases.list()).readable.map(({ manifest }) => manifest);
  const found = known.find((manifest) => pipeline === undefined || manifest.pipeline === pipeline);
  if (found) return found.id;
  const what = pipeline === undefined ? 'that is readable' : `of pipeline "${pipeline}"`;
  throw notFoundError(
    'release',
    what,
    known.map(({ id }) => id),
    where,
  );
}
