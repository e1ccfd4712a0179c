import type { ErrorCode } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';
import { listFirst } from '../model/text/words';
import type { Releases } from './release/releases';
import { isGood, listSnapshots } from './snapshot/list-snapshots';
import type { Snapshots } from './snapshot/snapshots';

/** Candidates listed if several match, or none. */
const NAMED_MAX = 10;

/** What IDs are of, and where they lie. */
interface OfWhat {
  readonly what: string;
  readonly notFound: ErrorCode;
  readonly where: string;
}

/** `latest` or `latest:NAME`; undefined for anything else. */
function latestOf(text: string): { readonly name?: string } | undefined {
  const found = /^latest(?::(.+))?$/.exec(text);
  return found ? { name: found[1] } : undefined;
}

/**
 * The ID that is meant by a text: itself, or the only one that ends so. Throws the code if there is none, with the
 * newest that exist, and USAGE with the candidates if there are several.
 * @param ids oldest first
 */
function resolveId(ids: readonly string[], text: string, of: OfWhat): string {
  if (ids.includes(text)) return text;
  const fitting = text === '' ? [] : ids.filter((id) => id.endsWith(text));
  const [only, ...others] = fitting;
  if (only === undefined) throw noSuchId(of, `"${text}"`, [...ids].reverse());
  if (others.length === 0) return only;
  throw new PortolanError('USAGE', `"${text}" matches ${fitting.length} ${of.what}s:\n${listed(fitting)}`, {
    hint: 'Type more of the ID.',
  });
}

/** @param there IDs that exist */
function noSuchId({ what, notFound, where }: OfWhat, named: string, there: readonly string[]): PortolanError {
  const known = there.length === 0 ? 'the store has none' : `the store has:\n${listed(there)}`;
  return new PortolanError(notFound, `no ${what} ${named} in the store at ${where}; ${known}`);
}

/** One ID per line. */
const listed = (ids: readonly string[]): string =>
  listFirst(ids, NAMED_MAX)
    .map((line) => `  ${line}`)
    .join('\n');

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

/**
 * The ID of the snapshot that is meant: its ID, a unique end of it, `latest`, or `latest:ROUTE`: the newest good backup
 * of all or of a route that was taken here. An imported one needs its ID. The snapshot may be unreadable.
 * Throws SNAPSHOT_NOT_FOUND with what there is, and USAGE with the candidates if there are several.
 */
export async function findSnapshot(snapshots: Snapshots, text: string): Promise<string> {
  const latest = latestOf(text);
  if (latest) return await findLatest(snapshots, latest.name);
  const { where } = snapshots.store;
  const fitting = await snapshots.ids((id) => id.endsWith(text));
  const ids = fitting.length > 0 ? fitting : await snapshots.ids();
  return resolveId(ids, text, { what: 'snapshot', notFound: 'SNAPSHOT_NOT_FOUND', where });
}

async function findLatest(snapshots: Snapshots, route: string | undefined): Promise<string> {
  const { readable, unreadable } = await listSnapshots(snapshots);
  const manifests = readable.map(({ manifest }) => manifest);
  const ofRoute = manifests.filter((each) => route === undefined || each.route === route);
  const good = ofRoute.filter(isGood);
  const found = good.find(({ imported }) => !imported);
  if (found) return found.id;
  const notGood = ofRoute.filter((each) => each.kind === 'backup' && !isGood(each));
  const taken = manifests.filter((each) => isGood(each) && !each.imported);
  const routes = [...new Set(taken.map((each) => each.route))];
  const facts = [
    notGood.length > 0 ? `${notGood.length} incomplete or empty` : '',
    unreadable.length > 0 ? `${unreadable.length} unreadable` : '',
    route !== undefined && routes.length > 0 ? `routes with one: ${routes.join(', ')}` : '',
  ].filter(Boolean);
  throw new PortolanError(
    'SNAPSHOT_NOT_FOUND',
    `no good backup${route === undefined ? '' : ` of route "${route}"`} in the store at ${snapshots.store.where}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}${good.length === 0 ? '' : `; imported from another store:\n${listed(good.map(({ id }) => id))}`}`,
    good.length === 0 ? {} : { hint: 'Type the ID of one imported from another store.' },
  );
}
