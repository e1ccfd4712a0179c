import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import { type Group, groupContentPages, readGroup } from '../../portal/resources/groups';
import type { CallOptions } from '../../portal/http/request';

/** What is read of a group; all but its id may be missing. */
export type GroupFacts = { readonly id: string } & Partial<Pick<Group, 'title' | 'owner' | 'userMembership'>>;

/** A group, and what shows that it is there: its record, its content, or nothing but an empty listing. */
export interface FoundGroup {
  readonly group: GroupFacts;
  readonly shownBy: 'record' | 'content' | 'nothing';
}

/**
 * A group by its record. Of the two resources only the content listing is certain to be there, so it is
 * asked where the record is not found or not understood; then the id is all that is known.
 * docs/reference/portal-interface.md, "Groups" and "Listings"
 *
 * @throws PortolanError GROUP_NOT_FOUND, NOT_FOUND or PERMISSION_DENIED where this account sees neither of
 * the two; others as they come
 */
export async function findGroup(portal: Portal, groupId: string, options?: CallOptions): Promise<FoundGroup> {
  try {
    return { group: await readGroup(portal, groupId, options), shownBy: 'record' };
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (!saysLittle.has(error.code)) throw error;
    const listed = await firstPageSize(portal, groupId, options).catch((ofListing: unknown) => {
      // Of two that mean the group, the record's says more: it tells a missing right from a missing group.
      const same = unseen.has(error.code) && unseen.has(PortolanError.from(ofListing).code);
      throw same ? error : ofListing;
    });
    return { group: { id: groupId }, shownBy: listed > 0 ? 'content' : 'nothing' };
  }
}

/** Answers for the record that a portal without that resource may give. */
const saysLittle: ReadonlySet<string> = new Set([
  'GROUP_NOT_FOUND',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'BAD_REQUEST',
  'BAD_RESPONSE',
  'HTML_RESPONSE',
  'NOT_SUPPORTED',
  'SERVER_ERROR',
]);

/** Answers that mean: there is no such group for this account. */
export const unseen: ReadonlySet<string> = new Set(['GROUP_NOT_FOUND', 'NOT_FOUND', 'PERMISSION_DENIED']);

async function firstPageSize(portal: Portal, groupId: string, options?: CallOptions): Promise<number> {
  for await (const page of groupContentPages(portal, groupId, options)) return page.length;
  return 0;
}
