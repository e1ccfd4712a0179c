import { PortolanError } from '../model/errors';
import type { Portal } from '../portal/client';
import { type Group, groupContentPages, readGroup } from '../portal/groups';
import type { CallOptions } from '../portal/request';

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
 * docs/portal-interface.md, "Groups" and "Listings"
 *
 * @throws PortolanError GROUP_NOT_FOUND where neither is there for this account; others as they come
 */
export async function findGroup(portal: Portal, groupId: string, options?: CallOptions): Promise<FoundGroup> {
  try {
    return { group: await readGroup(portal, groupId, options), shownBy: 'record' };
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (!saysLittle.has(error.code)) throw error;
  }
  const listed = await firstPageSize(portal, groupId, options);
  return { group: { id: groupId }, shownBy: listed > 0 ? 'content' : 'nothing' };
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

const unseen: ReadonlySet<string> = new Set(['GROUP_NOT_FOUND', 'NOT_FOUND', 'PERMISSION_DENIED']);

async function firstPageSize(portal: Portal, groupId: string, options?: CallOptions): Promise<number> {
  try {
    for await (const page of groupContentPages(portal, groupId, options)) return page.length;
    return 0;
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (!unseen.has(error.code)) throw error;
    throw new PortolanError(
      'GROUP_NOT_FOUND',
      `${portal.name} has no group ${groupId} that this account can see.`,
      { portal: portal.name },
    );
  }
}
