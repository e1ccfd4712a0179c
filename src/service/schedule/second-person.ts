import type { Config } from '../../config/config';
import { namesOfPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import { type ServerSchedule, startOfSchedule } from './server-schedules';

/** Kinds of runs that write to a portal after approval. */
const approved: ReadonlySet<string> = new Set(['sync', 'promote']);

/**
 * A run triggered by a person through a schedule is recorded as started by the schedule, so they could approve it as
 * second approver. Throws `POLICY_REFUSED` if the target requires one under any of its names.
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

/** By the server's definition: the file may have changed. */
function portalInto({ description: { action } }: ServerSchedule): string | undefined {
  const [input] = action.args ?? [];
  const { route } = (input ?? {}) as { route?: { target?: { portal?: unknown } } };
  return typeof route?.target?.portal === 'string' ? route.target.portal : undefined;
}
