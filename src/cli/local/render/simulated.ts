import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countOf, quoted } from '../../../model/text/words';
import type { SimulatedView } from '../simulated-view';

/** Users, groups, and lines to copy into portolan.yaml. */
export const simulatedText = (view: SimulatedView, style: Style): string =>
  [
    style.colors.dim('users'),
    columns([], view.users.map(userRow), style),
    style.colors.dim('groups'),
    columns([], view.groups.map(groupRow), style),
    style.colors.dim('for portolan.yaml'),
    ...yamlLines(view).map((line) => `  ${line}`),
    style.colors.dim('to type'),
    `  export ${secretName(view.portal)}=${view.users[0]?.password}`,
    `  ${view.route.otherEnd}`,
    'Ctrl-C stops it. Restart it with the same --state to continue.',
  ].join('\n');

const userRow = ({ username, password, role, owns, memberOf }: SimulatedView['users'][number]): string[] => [
  `  ${username}`,
  password,
  [
    role,
    ...owns.map((title) => `owns ${quoted(title)}`),
    ...memberOf.map((title) => `in ${quoted(title)}`),
  ].join(', '),
];

const groupRow = ({ id, title, owner, items }: SimulatedView['groups'][number]): string[] => [
  `  ${id}`,
  quoted(title),
  `${countOf(items, 'item')}, owned by ${owner}`,
];

const secretName = (portal: string): string =>
  `${portal.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_PASSWORD`;

/** The portal and a route, in the form of portolan.yaml. */
function yamlLines({ portal, url, users, route: { name, source, target } }: SimulatedView): string[] {
  const [{ username } = { username: 'admin' }] = users;
  const end = ({ portal: at, group }: typeof source): string => `{ portal: ${at}, group: ${group} }`;
  return [
    'portals:',
    `  ${portal}:`,
    `    url: ${url}`,
    `    auth: { type: password, username: ${username}, password: { env: ${secretName(portal)} } }`,
    'routes:',
    `  ${name}:`,
    `    source: ${end(source)}`,
    `    target: ${end(target)}`,
  ];
}
