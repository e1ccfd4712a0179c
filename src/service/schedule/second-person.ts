import type { Config } from '../../config/config';
import { namesOfPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { type ServerSchedule, startOfSchedule } from './server-schedules';

/** Kinds of runs that write into a portal once their plan is approved. */
const approved: ReadonlySet<string> = new Set(['sync', 'promote']);

/**
 * A run that somebody has a schedule start, now or for a time that has passed, is started by the schedule, as its record
 * says: they could approve it as a second person. Throws `POLICY_REFUSED` if the target asks for one under any of its
 * names.
 */
export function requireNoSecondPerson(config: Config, schedule: ServerSchedule): void {
  const { kind, route } = startOfSchedule(schedule);
  const portal = approved.has(kind) ? portalInto(schedule) : undefined;
  if (portal === undefined || !config.portals.has(portal)) return;
  if (!namesOfPortal(config, portal).some(({ policy }) => policy.twoPeople)) return;
  throw new PortolanError(
    'POLICY_REFUSED',
    `The policy of ${portal} requires a second approver, but a start by schedule ${schedule.name} does not record who requested it.`,
    { hint: `Start it under your own name: portolan ${kind === 'sync' ? `sync ${route}` : 'promote'}` },
  );
}

/** By what the server has: the file may say another one by now, or nothing. */
function portalInto({ description: { action } }: ServerSchedule): string | undefined {
  const [input] = action.args ?? [];
  const { route } = (input ?? {}) as { route?: { target?: { portal?: unknown } } };
  return typeof route?.target?.portal === 'string' ? route.target.portal : undefined;
}
