import type { GuardResult } from '../../../model/run/guard';
import { PortolanError } from '../../../model/errors/errors';
import { isSameUser } from '../../../model/text/same-user';
import type { Portal } from '../../../portal/client';
import type { CallOptions } from '../../../portal/http/request';
import { findGroup, type GroupFacts, unseen } from '../group-record';
import type { PortalFacts } from '../portal-facts';
import { pass, refuse, unknown } from './verdict';

/** The check of a group, with the group if it was read. */
export interface GroupReading {
  readonly result: GuardResult;
  readonly group?: GroupFacts;
}

/**
 * Checks that the group exists and is visible to this account, by its record or its content.
 * @throws PortolanError for anything that says nothing about the group, such as a lost connection
 */
export async function groupReadable(
  portal: Portal,
  groupId: string,
  options?: CallOptions,
): Promise<GroupReading> {
  const name = `group on ${portal.name}`;
  try {
    const { group, shownBy } = await findGroup(portal, groupId, options);
    switch (shownBy) {
      case 'record':
        return { result: pass(name, `"${group.title ?? group.id}"`), group };
      case 'content': {
        const saw = `${group.id}, by its content: ${portal.name} reports no title and no owner`;
        return { result: pass(name, saw), group };
      }
      case 'nothing': {
        const result = unknown(name, {
          saw: `${portal.name} shows this account no record of group ${groupId}, and no items in it`,
          needs: 'a group that exists and is visible to the account',
          todo: 'Check the group ID of the route. An empty group may look like this.',
        });
        return { result, group };
      }
    }
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (!unseen.has(error.code)) throw error;
    const result = refuse(name, 'GROUP_NOT_FOUND', {
      saw: `${portal.name} has no group ${groupId} that this account can see`,
      needs: 'a group that exists and is visible to the account',
      todo: 'Check the group ID of the route, and that the account owns the group or is an administrator.',
    });
    return { result };
  }
}

/** Export and import need the group's owner or an administrator; app credentials have no user. */
export function mayTransfer(facts: PortalFacts, group: GroupFacts): GuardResult {
  const name = `account on ${facts.name}`;
  const title = `"${group.title ?? group.id}"`;
  const needs = `a user who owns the group ${title} or is an administrator`;
  if (facts.username === undefined) {
    return refuse(name, 'NO_USER', {
      saw: `the credentials for ${facts.name} have no user`,
      needs,
      todo: `Sign in to ${facts.name} as a user: auth type password, token or apiKey in portolan.yaml.`,
    });
  }
  if (owns(facts.username, group)) return pass(name, `${facts.username} owns ${title}`);
  if (facts.fullAdmin) return pass(name, `${facts.username} is an administrator`);
  if (facts.role === 'org_admin') {
    return unknown(name, {
      saw: `${facts.username} is an administrator with a custom role, not a default one`,
      needs,
      todo: `Nothing; ${facts.name} decides. If it refuses, sign in as ${group.owner ?? "the group's owner"} or as a default administrator.`,
    });
  }
  if (group.owner === undefined) {
    return unknown(name, {
      saw: `${facts.username} is not an administrator, and ${facts.name} does not report who owns ${title}`,
      needs,
      todo: 'Check who owns the group.',
    });
  }
  return refuse(name, 'NOT_OWNER_OR_ADMIN', {
    saw: `${facts.username} is not an administrator, and ${title} belongs to ${group.owner}`,
    needs,
    todo: `Sign in to ${facts.name} as ${group.owner} or as an administrator.`,
  });
}

const owns = (username: string, group: GroupFacts): boolean =>
  group.owner === undefined
    ? group.userMembership?.memberType?.toLowerCase() === 'owner'
    : isSameUser(group.owner, username);
