import { PortolanError } from '../../model/errors/errors';
import { emptyGroupId } from '../../simulator/seed/seeds';
import { transportGroupId, transportTargetGroupId } from '../../simulator/seed/transport';
import { builtInUsers } from '../../simulator/seed/users';
import { type Simulator, startSimulator } from '../../simulator/simulator';
import type { SimulatorOptions } from '../../simulator/options';
import type { SimulatedView } from './simulated-view';

/** Starts a simulated portal. Throws `USAGE` if its options, seed, port or folder cannot be used. */
export async function openSimulated(options: SimulatorOptions): Promise<Simulator> {
  try {
    return await startSimulator(options);
  } catch (thrown) {
    throw new PortolanError('USAGE', problemOf(thrown as NodeJS.ErrnoException, options), {
      hint: 'See: portolan simulate --help',
    });
  }
}

function problemOf(
  { code, message, path }: NodeJS.ErrnoException,
  { port = 0, state }: SimulatorOptions,
): string {
  if (code === 'EADDRINUSE')
    return port === 0
      ? `The port used before with ${state} is taken; choose another with --port.`
      : `Port ${port} is taken; choose another with --port, or 0 for a free one.`;
  if (code === 'EACCES' && path === undefined) return `This account cannot use port ${port}.`;
  if (code === 'ERR_SOCKET_BAD_PORT') return `${port} is not a port; write a number from 0 to 65535.`;
  if (code !== undefined && path !== undefined) return `${path} cannot be used (${code}).`;
  return message.endsWith('.') ? message : `${message}.`;
}

/** What a user needs to connect. @param seed that it was started with */
export function simulatedView({ url, world, settings }: Simulator, seed: string): SimulatedView {
  const portal =
    settings.name.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'simulated';
  const groups = [...world.groups.values()];
  const titles = (isMeant: (group: (typeof groups)[number]) => boolean): string[] =>
    groups.filter(isMeant).map(({ title }) => title);
  return {
    portal,
    url,
    users: Object.values(builtInUsers).map(({ username, password }) => {
      const { role = '?', roleId } = world.users.get(username) ?? {};
      return {
        username,
        password,
        role: roleId === undefined ? role : `${role}, by a custom role`,
        owns: titles(({ owner }) => owner === username),
        memberOf: titles(({ owner, members }) => owner !== username && members.includes(username)),
      };
    }),
    groups: groups.map(({ id, title, owner }) => ({
      id,
      title,
      owner,
      items: world.items.filter((item) => item.groups.includes(id)).length,
    })),
    route: routeOf({ portal, group: groups[0]?.id ?? 'GROUP' }, seed),
  };
}

/** A route from this portal to another; the built-in seeds fit together. */
function routeOf(here: { portal: string; group: string }, seed: string): SimulatedView['route'] {
  const isTarget = seed === 'transport-target' || seed === 'empty';
  const [portal, other, group] = isTarget
    ? (['staging', 'transport', transportGroupId] as const)
    : seed.startsWith('transport')
      ? (['production', 'transport-target', transportTargetGroupId] as const)
      : (['production', 'empty', emptyGroupId] as const);
  const there = { portal: portal === here.portal ? `other-${portal}` : portal, group };
  return {
    name: 'transport',
    source: isTarget ? there : here,
    target: isTarget ? here : there,
    otherEnd: `portolan simulate --name ${there.portal} --state ./var/${there.portal} --seed ${other}`,
  };
}
