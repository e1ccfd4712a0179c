import { PortolanError } from '../../model/errors/errors';
import { type Deployment, makeCurrent, makeRamping } from '../../temporal/deployment';
import { workersOf } from '../../temporal/task-queue';
import { type DeploymentSources, requireDeployment, seekBuild } from './read-deployment';

/** Which build begins runs now, and which one did before. */
export interface Routed {
  readonly build: string;
  readonly before?: string;
}

/**
 * Has a build begin every run from now on; those under way keep to theirs. Throws `USAGE` for a build that there is not,
 * and `NO_WORKER` where no worker has it: runs would be begun by nobody.
 */
export async function setCurrent(sources: DeploymentSources, text: string): Promise<Routed> {
  const { deployment, build } = await requireServed(sources, text);
  await makeCurrent(sources.temporal, deployment.name, build);
  return { build, before: deployment.current };
}

/** Has a build begin so many of a hundred runs, from 0 to 100. Throws as `setCurrent`. */
export async function setRamp(sources: DeploymentSources, text: string, percent: number): Promise<Routed> {
  const { deployment, build } = await requireServed(sources, text);
  if (deployment.current === build) {
    throw new PortolanError('USAGE', `Version ${build} already starts all runs.`, {
      hint: 'Ramp another version; list versions: portolan deploy status',
    });
  }
  await makeRamping(sources.temporal, deployment.name, build, percent);
  return { build, before: deployment.current };
}

async function requireServed(
  sources: DeploymentSources,
  text: string,
): Promise<{ readonly deployment: Deployment; readonly build: string }> {
  const { config, temporal } = sources;
  const deployment = await requireDeployment(sources);
  const build = seekBuild(deployment, text);
  const workers = await workersOf(temporal, config.temporal.taskQueue, build);
  if (workers.length > 0) return { deployment, build };
  throw new PortolanError(
    'NO_WORKER',
    `No worker of version ${build} is running, so its runs would not start.`,
    {
      hint: 'Start its workers first, then repeat the command. See running workers: portolan deploy status',
    },
  );
}
