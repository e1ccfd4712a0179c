import { latestOf, noSuchId, resolveId } from '../snapshot/resolve-id';
import type { Releases } from './releases';

/**
 * The ID of the release that is meant: its ID, a unique end of it, `latest`, or `latest:PIPELINE`. The release may be
 * unreadable. Throws RELEASE_NOT_FOUND with what there is, and USAGE with the candidates if there are several.
 */
export async function findRelease(releases: Releases, text: string): Promise<string> {
  const of = { what: 'release', notFound: 'RELEASE_NOT_FOUND', where: releases.store.where } as const;
  const latest = latestOf(text);
  if (!latest) return resolveId((await releases.ids()).sort(), text, of);
  const pipeline = latest.name;
  const { readable } = await releases.list();
  const manifests = readable.map(({ manifest }) => manifest);
  const found = manifests.find((each) => pipeline === undefined || each.pipeline === pipeline);
  if (found) return found.id;
  const named = pipeline === undefined ? 'that is readable' : `of pipeline "${pipeline}"`;
  throw noSuchId(
    of,
    named,
    manifests.map(({ id }) => id),
  );
}
