import type { Deployment } from '../../temporal/deployment';
import type { RunStatus } from '../../model/run/phase';

/** A build of the workflow code: how it stands, who has it, and how many open runs keep to it. */
export type BuildView = Deployment['builds'][number] & {
  /** Names of its workers. */
  readonly workers: readonly string[];
  readonly runs: { readonly open: number; readonly parked: number };
};

/** The Worker Deployment of portolan.yaml, the newest build first. */
export interface DeploymentView extends Omit<Deployment, 'builds'> {
  readonly builds: readonly BuildView[];
}

/** An open run of a build that is drained, and what becomes of it. */
export interface DrainedRun {
  readonly runId: string;
  readonly status: RunStatus;
  /**
   * `moves` to the current build, or has `moved`; `stays` where it is under way and a worker of its build is up; is
   * `over` by now.
   */
  readonly becomes: 'moves' | 'moved' | 'stays' | 'over';
  /** Why it moves or stays. */
  readonly why: string;
}

export interface Drain {
  readonly build: string;
  /** The build that they move to. */
  readonly to: string;
  readonly runs: readonly DrainedRun[];
}
