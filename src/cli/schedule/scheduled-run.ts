import type { Config } from '../../config/config';
import { resolveBackup, resolveDrill, resolveRoute } from '../../config/resolve-route';
import type { BackupInput, DrillInput } from '../../model/run/snapshot-input';
import { PortolanError } from '../../model/errors/errors';
import type { ScheduleSpec } from '../../model/schedule/schedule';
import type { RunInput, SyncInput, Unnamed } from '../../model/run/run-input';
import { requireUsers } from '../run/start-run';

/**
 * What a schedule starts each time, with the route as this configuration has it now. Temporal names the run.
 * Throws what resolving the route throws, and `NO_USER`.
 */
export function scheduledInput(config: Config, spec: ScheduleSpec): Unnamed<RunInput> {
  const input = inputOf(config, spec);
  // A drill reads nothing of where its snapshots were taken.
  requireUsers(config, spec.kind === 'drill' ? { target: input.route.target } : input.route);
  return input;
}

function inputOf(
  config: Config,
  { name, kind, route, import: imports }: ScheduleSpec,
): Unnamed<SyncInput> | Unnamed<BackupInput> | Unnamed<DrillInput> {
  // Nobody sees the plan of a run that starts by itself, so nobody has said yes to it.
  const common = { startedBy: `schedule ${name}`, yes: false, scheduledBy: name };
  switch (kind) {
    case 'sync':
      return { ...common, route: resolveRoute(config, { route }) };
    case 'backup': {
      const { tags = [], keep, safeguardsMs } = config.routes.get(route)?.backup ?? {};
      return { ...common, route: resolveBackup(config, route), tags, keep, safeguardsMs };
    }
    case 'drill':
      return { ...common, route: resolveDrill(config, route), import: imports };
  }
}

/** The same, with the place of the schedule in what it throws. */
export function inputAt(place: string, config: Config, spec: ScheduleSpec): Unnamed<RunInput> {
  try {
    return scheduledInput(config, spec);
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    throw new PortolanError(error.code, `${place}: ${error.plainMessage}`, error.facts);
  }
}
