import type { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { FieldChange } from '../../model/run/run';
import { canonical, hashOfText } from '../snapshot/hashing';
import { shortened } from '../../model/text/plain-text';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { type Release, releaseOf } from '../../portal/http/versions';
import { isSelfManaged, type PortalUser, readSelf } from '../../portal/resources/portals';
import type { Store } from '../../store/store';

/** A portal, and who is signed in. */
export interface FoundPortal {
  /** Name in portolan.yaml. */
  readonly name: string;
  readonly url: string;
  readonly portalId: string;
  readonly version: Release | undefined;
  /** Whether it is self-managed; undefined if it does not say. */
  readonly isPortal: boolean | undefined;
  readonly isReadOnly: boolean;
  readonly user: PortalUser | undefined;
}

/** A portal with one of its documents. */
export interface Found<T> extends FoundPortal {
  readonly value: T;
}

/** The parts of a document by their names, as the store has them. Each is written by itself. */
export type Content = Readonly<Record<string, unknown>>;

/** A document to write, and what is left out of it, for people. */
export interface Wanted<T> {
  readonly wanted: T;
  readonly warnings: readonly string[];
}

/** What people read, compare, change and restore as a whole: a portal's settings, or its category schema. */
export interface PortalDocument<T> {
  readonly title: string;
  /** Its name in releases and plans. */
  readonly heldAs: 'settings' | 'categories';
  readonly schema: z.ZodType<T>;
  read(portal: Portal, options?: CallOptions): Promise<Found<T>>;
  /** Throws unless the account and the portal allow the change. Returns what is not known. */
  require(found: Found<T>, wanted: T): string[];
  differences(now: T, wanted: T): FieldChange[];
  /** The values that a change replaces. Writing them undoes it. */
  replaced(now: T, wanted: T): T;
  /** The same for replaced values that people cannot tell apart. */
  fingerprint(replaced: T): string;
  write(portal: Portal, found: Found<T>, wanted: T, options: CallOptions): Promise<void>;
  /** What the portal does not have although it was written, in place of what was replaced. */
  notTaken(now: T, wanted: T, replaced: T): FieldChange[];
  /** Whether the portal already has what an earlier attempt may have written, so that it is not written again. */
  isThere(now: T, wanted: T, replaced: T): boolean;
  /** Whether it differs only in values that were to be replaced: the others an earlier attempt may have written. */
  isHalfThere(now: T, wanted: T, replaced: T): boolean;
  /** The document that a release brings. @param source URL of the portal it was made from */
  ofRelease(content: unknown, source: string, found: Found<T>): Wanted<T>;
  /** Undoes a change, except what someone has changed since: one warning each. */
  undo(now: T, change: { readonly replaced: T; readonly written: T }): Wanted<T>;
}

export async function readPortal(portal: Portal, options?: CallOptions): Promise<FoundPortal> {
  const self = await readSelf(portal, options);
  return {
    name: portal.name,
    url: portal.url,
    portalId: self.id ?? 'self',
    version: releaseOf(self),
    isPortal: isSelfManaged(self),
    isReadOnly: self.isReadOnly === true,
    user: self.user ?? undefined,
  };
}

/** The account that is to change a portal. @throws PortolanError NO_USER, TARGET_READ_ONLY */
export function requireAccount({
  name,
  user,
  isReadOnly,
}: Pick<FoundPortal, 'name' | 'user' | 'isReadOnly'>) {
  if (!user)
    throw new PortolanError('NO_USER', `The credentials for ${name} have no user.`, { portal: name });
  if (isReadOnly) throw new PortolanError('TARGET_READ_ONLY', `${name} is read-only.`, { portal: name });
  return user;
}

export const fingerprintOf = (value: unknown): string => hashOfText(canonical(value));

/** Fingerprint of the values that a change replaces and of all that it writes, as people were shown them. */
export const fingerprintOfChange = <T>(document: PortalDocument<T>, replaced: T, wanted: T): string =>
  fingerprintOf([document.fingerprint(replaced), wanted]);

/** The same for a change that no run has made yet. */
export const expectedOf = <T>(document: PortalDocument<T>, now: T, wanted: T): string =>
  fingerprintOfChange(document, document.replaced(now, wanted), wanted);

/** Whether it is a category schema without categories, which is deleted, not assigned. */
export const isEmpty = (content: Content): boolean =>
  Object.values(content).every((part) => Array.isArray(part) && part.length === 0);

/** A document of a run in the store: the one to write, or the one it replaces. */
export async function storedDocument<T>(store: Store, key: string, document: PortalDocument<T>): Promise<T> {
  const stored = await store.readJson(key, document.schema);
  if (stored !== undefined) return stored;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's store, ${store.where}, does not have the ${document.title} of ${key}.`,
    { hint: 'Use the same store here and on the worker.' },
  );
}

/** How many changes a record or plan lists, and the longest value of one. The store has all. */
const LISTED_MAX = 30;
const VALUE_MAX = 200;

/** The first changes, with long values cut, for records and plans. */
export const listedChanges = (changes: readonly FieldChange[]): FieldChange[] =>
  changes
    .slice(0, LISTED_MAX)
    .map(({ path, before, after }) => ({ path, before: withinMax(before), after: withinMax(after) }));

function withinMax(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > VALUE_MAX ? shortened(text, VALUE_MAX) : value;
}
