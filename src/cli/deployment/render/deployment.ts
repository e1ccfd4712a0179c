import { countOf, durationWords } from '../../../model/text/words';
import type { BuildView, DeploymentView, Drain } from '../../../service/deployment/deployment-view';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';

/** The versions of a deployment, newest first, and the next commands. */
export function deploymentTable(view: DeploymentView, style: Style, now: number = Date.now()): string {
  const rows = view.builds.map((build) => [
    build.id,
    view.ramping?.build === build.id ? `ramping ${view.ramping.percent}%` : build.state,
    `${build.workers.length}`,
    `${build.runs.open}`,
    `${build.runs.parked}`,
    `${durationWords(now - Date.parse(build.since))} ago`,
  ]);
  const table = columns(['VERSION', 'STATE', 'WORKERS', 'OPEN RUNS', 'PARKED', 'SINCE'], rows, style);
  return [`deployment ${view.name}`, table, ...nextWords(view)].join('\n');
}

function nextWords({ current, builds }: DeploymentView): string[] {
  if (current === undefined) {
    const [newest] = builds;
    return [
      `No version is current: new runs go to unversioned workers, or wait if there are none. Set one: portolan deploy set-current ${newest?.id ?? 'VERSION'}`,
    ];
  }
  return builds.filter((build) => build.state !== 'current').flatMap((build) => toDoWith(build));
}

const toDoWith = ({ id, runs, workers, state }: BuildView): string[] => {
  if (runs.open > 0) return [`${countOf(runs.open, 'run')} pinned to ${id}: portolan deploy drain ${id}`];
  const isOver = state === 'draining' || state === 'drained';
  return isOver && workers.length > 0 ? [`No run is pinned to ${id}; its workers can be stopped.`] : [];
};

/** The open runs of a version, and what happens to each. */
export function drainTable({ build, to, runs }: Drain, style: Style): string {
  if (runs.length === 0) return `No open run is pinned to version ${build}; its workers can be stopped.`;
  const table = columns(
    ['RUN', 'STATUS', `TO ${to}`, 'WHY'],
    runs.map(({ runId, status, becomes, why }) => [runId, status, becomes, why]),
    style,
  );
  const movable = runs.filter(({ becomes }) => becomes === 'moves').length;
  const left = runs.filter(({ becomes }) => becomes === 'stays').length;
  const next =
    movable > 0
      ? `No changes made. To move ${movable}: portolan deploy drain ${build} --yes`
      : left > 0
        ? `${countOf(left, 'run')} in progress will finish there; check with: portolan deploy status`
        : `No run is pinned to version ${build} anymore; its workers can be stopped.`;
  return `${table}\n\n${next}`;
}
