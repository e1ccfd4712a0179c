import { isSameUser } from '../../model/identity';
import type { Allowance, PeopleConfig, SignInConfig } from '../../config/config';
import type { PortalPerson } from '../../portal/auth/person-sign-in';

/**
 * What somebody may do by the configuration; undefined for whom it does not mean. Whom several entries mean has the
 * rights of all of them, within the limits of each: an entry can take away what another leaves open, and never adds to
 * what another limits.
 */
export function permissionsOf({ people }: SignInConfig, person: PortalPerson): Allowance | undefined {
  const entries = people.filter((entry) => means(entry, person));
  if (entries.length === 0) return undefined;
  return {
    rights: [...new Set(entries.flatMap(({ rights }) => rights))],
    routes: common(entries.map(({ routes }) => routes)),
    pipelines: common(entries.map(({ pipelines }) => pipelines)),
  };
}

/** Those of a person's groups that the configuration names: no other decides anything. */
export function keepConfiguredGroups({ people }: SignInConfig, person: PortalPerson): PortalPerson {
  const named = new Set(people.flatMap(({ groups = [] }) => groups));
  return { ...person, groups: [...new Set(person.groups)].filter((group) => named.has(group)) };
}

function means(
  { users, groups, roles }: PeopleConfig,
  { username, role, groups: own }: PortalPerson,
): boolean {
  return (
    (users?.some((user) => isSameUser(user, username)) ?? false) ||
    (groups?.some((group) => own.includes(group)) ?? false) ||
    (role !== undefined && (roles?.includes(role) ?? false))
  );
}

/** The common entries of all given lists; undefined if there are none. */
function common(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  return given.length === 0
    ? undefined
    : given.reduce((left, right) => left.filter((name) => right.includes(name)));
}
