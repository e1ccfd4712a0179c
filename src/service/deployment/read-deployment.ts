import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import { nameIn } from '../../model/run/worker-view';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { type Deployment, keepingTo, readDeployment } from '../../temporal/deployment';
import type { TemporalClient } from '../../temporal/session';
import { pollersOf } from '../../temporal/task-queue';
import type { DeploymentView } from './deployment-view';

/** Where a deployment is looked at. */
export interface DeploymentSources {
  readonly config: Config;
  readonly temporal: TemporalClient;
}

/** Name of the Worker Deployment of this configuration. Throws `USAGE` where it has none. */
export function requireName({ temporal, path }: Config): string {
  const { deployment } = temporal.worker;
  if (deployment !== undefined) return deployment;
  throw new PortolanError(
    'USAGE',
    `${path} has no temporal.worker.deployment, so its workers have no versions.`,
    {
      hint: 'Set temporal: { worker: { deployment: portolan } }, restart the workers, then run: portolan deploy status',
    },
  );
}

/** Throws `NO_WORKER` where no worker of it has ever come. */
export async function requireDeployment({ config, temporal }: DeploymentSources): Promise<Deployment> {
  const name = requireName(config);
  const found = await readDeployment(temporal, name);
  if (found && found.builds.length > 0) return found;
  throw new PortolanError('NO_WORKER', `Temporal knows no worker of the deployment "${name}" yet.`);
}

/** How the builds stand. Throws `USAGE` without a deployment, and `NO_WORKER` where none of its workers ever came. */
export async function readDeploymentView(sources: DeploymentSources): Promise<DeploymentView> {
  const { config, temporal } = sources;
  const { taskQueue } = config.temporal;
  const deployment = await requireDeployment(sources);
  const pollers = await pollersOf(temporal, taskQueue);
  const count = async (query: string): Promise<number> => (await temporal.client.workflow.count(query)).count;
  const builds = deployment.builds.map(async (build) => {
    const open = keepingTo(taskQueue, deployment.name, build.id);
    const parked = `${open} AND ${searchAttributeNames.outcome} = 'parked'`;
    const names = pollers.filter((each) => each.build === build.id).map(({ identity }) => nameIn(identity));
    return {
      ...build,
      workers: [...new Set(names)],
      runs: { open: await count(open), parked: await count(parked) },
    };
  });
  return { ...deployment, builds: await Promise.all(builds) };
}

/** The build that somebody means by its id or the beginning of it. Throws `USAGE` where it is none, or one of several. */
export function seekBuild({ name, builds }: Deployment, text: string): string {
  const found = builds.filter(({ id }) => id.startsWith(text));
  const [first] = found;
  if (first !== undefined && (found.length === 1 || first.id === text)) return first.id;
  const what = first === undefined ? 'no version of' : `the beginning of ${found.length} versions of`;
  throw new PortolanError('USAGE', `"${text}" is ${what} the deployment "${name}".`, {
    hint: `Choose one of: ${builds.map(({ id }) => id).join(', ')}`,
  });
}
