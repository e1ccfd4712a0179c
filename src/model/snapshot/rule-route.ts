/** The name of a rule among routes. A name of a route has no slash. */
export const ruleRoute = (portal: string, rule: string): string => `protect/${portal}/${rule}`;

/** The name under which snapshots of a group are found: by its ID, because titles change. */
export const protectedRoute = (rule: string, groupId: string): string => `${rule}/${groupId}`;

/** The parts of such a name; undefined for any other route. */
export function parseRuleRoute(
  route: string,
): { readonly portal: string; readonly rule: string; readonly groupId?: string } | undefined {
  const [, portal, rule, groupId] = /^protect\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(route) ?? [];
  return portal === undefined || rule === undefined ? undefined : { portal, rule, groupId };
}
