import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../../portal/client';
import { readItem } from '../../../portal/resources/items/items';
import { readService } from '../../../portal/resources/layers';
import type { CallOptions } from '../../../portal/http/request';
import type { Retry } from '../retry';
import { findGroup } from '../group-record';

/** Whether a portal holds something: `hidden` where it does and this account may not look at it. */
export type Presence =
  | { readonly state: 'there'; readonly title?: string; readonly type?: string }
  | { readonly state: 'absent' }
  | { readonly state: 'hidden' };

/** Questions to one portal, each asked once however many references put it. */
export interface Lookup {
  item(itemId: string): Promise<Presence>;
  group(groupId: string): Promise<Presence>;
  /** @param root address of a service, without a layer */
  service(root: string): Promise<Presence>;
}

/**
 * @param known ids of items that are known to be there
 * @throws PortolanError from the questions, where the portal gave neither yes nor no
 */
export function lookupOn(
  portal: Portal,
  retry: Retry,
  known: ReadonlySet<string>,
  options?: CallOptions,
): Lookup {
  const answers = new Map<string, Promise<Presence>>();
  const once = (key: string, question: () => Promise<Presence>): Promise<Presence> => {
    const before = answers.get(key);
    if (before !== undefined) return before;
    const answer = presence(() => retry(question));
    answers.set(key, answer);
    // What goes away by itself may be asked again; what stays is not put to the portal for every reference.
    answer.catch((thrown: unknown) => {
      if (PortolanError.from(thrown).meaning.kind === 'transient') answers.delete(key);
    });
    return answer;
  };
  return {
    item: (itemId) =>
      known.has(itemId)
        ? Promise.resolve({ state: 'there' })
        : once(`item ${itemId}`, async () => {
            const { title, type } = await readItem(portal, itemId, options);
            return { state: 'there', title, type };
          }),
    group: (groupId) =>
      once(`group ${groupId}`, async () => {
        const { group, shownBy } = await findGroup(portal, groupId, options);
        return shownBy === 'nothing' ? { state: 'hidden' } : { state: 'there', title: group.title };
      }),
    service: (root) =>
      once(`service ${root.toLowerCase()}`, async () => {
        await readService(portal, root, options);
        return { state: 'there' };
      }),
  };
}

const absent: ReadonlySet<string> = new Set([
  'ITEM_NOT_FOUND',
  'GROUP_NOT_FOUND',
  'NOT_FOUND',
  'BAD_REQUEST',
]);

async function presence(question: () => Promise<Presence>): Promise<Presence> {
  try {
    return await question();
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (absent.has(error.code) || saysNotFound(error)) return { state: 'absent' };
    if (error.code === 'PERMISSION_DENIED') return { state: 'hidden' };
    throw error;
  }
}

/** GIS servers answer for a service that they do not have with a server error and these words. */
const saysNotFound = (error: PortolanError): boolean =>
  error.code === 'SERVER_ERROR' && /\bnot found\b/i.test(error.facts.portalWords ?? '');
