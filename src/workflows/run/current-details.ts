import type { RunState } from '../../model/run/run-state';

/** What the Web UI shows of an open run: Markdown, short. */
export function currentDetails(state: RunState): string {
  const { route, plan, items, error } = state;
  const lines = [
    `**${state.status}**  ${route.name}: ${end(route.source)} → ${route.target ? end(route.target) : 'the store'}  (target: ${state.target})`,
    '',
    ...state.phases
      .filter((phase) => phase.status !== 'pending')
      .map((phase) => `- ${phase.name}: ${phase.status}${phase.detail ? `, ${phase.detail}` : ''}`),
  ];
  if (plan)
    lines.push(
      '',
      `plan ${plan.hash}: ${plan.create} create, ${plan.overwrite} overwrite, ${plan.keep} keep, ${plan.blocked} blocked`,
    );
  if (items)
    lines.push(
      `ledger: ${items.imported} imported, ${items.kept} kept, ${items.failed} failed, ${items.unaccounted} unaccounted`,
    );
  if (error) lines.push('', `${error.code}: ${error.message}`, error.hint);
  return lines.join('\n');
}

const end = (side: RunState['route']['source']): string =>
  `${side.portal} "${side.groupTitle ?? side.groupId}"`;
