import { PortolanError } from '../../model/errors/errors';
import type { KnownRelease, Releases } from './releases';

/** Candidates that are named where there are several, or none that fits. */
const NAMED_MAX = 10;

const latest = /^latest(?::(.+))?$/;

/**
 * The id of the release that somebody means: its id, an end of it that no other has, `latest`, or `latest:PIPELINE`.
 * The release itself may be unreadable.
 * Throws RELEASE_NOT_FOUND with what there is, and USAGE with the candidates where there are several.
 */
export async function findRelease(releases: Releases, text: string): Promise<string> {
  const desired = latest.exec(text);
  if (desired) return (await latestOf(releases, desired[1])).manifest.id;
  const ids = (await releases.ids()).sort();
  if (ids.includes(text)) return text;
  const fitting = text === '' ? [] : ids.filter((id) => id.endsWith(text));
  const [only, ...others] = fitting;
  if (only === undefined) throw notFound(releases, `"${text}"`, ids.reverse());
  if (others.length === 0) return only;
  throw new PortolanError('USAGE', `"${text}" matches ${fitting.length} releases:\n${listed(fitting)}`, {
    hint: 'Type more of the ID.',
  });
}

async function latestOf(releases: Releases, pipeline: string | undefined): Promise<KnownRelease> {
  const { readable } = await releases.list();
  const found = readable.find(({ manifest }) => pipeline === undefined || manifest.pipeline === pipeline);
  if (found) return found;
  const what = pipeline === undefined ? 'that is readable' : `of pipeline "${pipeline}"`;
  throw notFound(
    releases,
    what,
    readable.map(({ manifest }) => manifest.id),
  );
}

function notFound({ store }: Releases, what: string, ids: readonly string[]): PortolanError {
  const there = ids.length === 0 ? 'the store has none' : `the store has:\n${listed(ids)}`;
  return new PortolanError(
    'RELEASE_NOT_FOUND',
    `no release ${what} in the store at ${store.where}; ${there}`,
  );
}

const listed = (ids: readonly string[]): string =>
  [
    ...ids.slice(0, NAMED_MAX).map((id) => `  ${id}`),
    ...(ids.length > NAMED_MAX ? [`  and ${ids.length - NAMED_MAX} more`] : []),
  ].join('\n');
