import { defineQuery, workflowInfo } from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Action, RecordEnd, RunKind } from '../../model/run/run';
import { type AnyInput, messageNames } from '../../model/run/run-input';
import { identityOf, type Person } from '../../model/run/signature';
import { markdownText, oneLine } from '../../model/text/plain-text';
import { targetStateText, type PhaseName } from '../../model/run/phase';
import type { RunState } from '../../model/run/run-state';
import { planWords } from '../../model/transfer/plan-summary';
import { countOf, routeWords } from '../../model/text/words';
import { searchAttributeNames } from '../../model/run/run-id';

export const stateQuery = defineQuery<RunState>(messageNames.state);

export const now = (): string => new Date(Date.now()).toISOString();

/** An operator's action, at this moment. */
export const actionOf = ({ who, identity }: Person, what: string, reason?: string): Action => ({
  at: now(),
  who,
  identity,
  what,
  reason,
});

/** The Temporal execution at hand. */
export const executionOf = ({ runId }: Pick<AnyInput, 'runId'>): RunState['temporal'] => ({
  workflowId: runId,
  runId: workflowInfo().runId,
  taskQueue: workflowInfo().taskQueue,
});

/** The state of a run that has done nothing yet. */
export const firstState = (
  kind: RunKind,
  start: AnyInput & { readonly route: RunState['route']; readonly operation?: string },
): RunState => ({
  runId: start.runId,
  kind,
  operation: start.operation,
  status: 'running',
  target: 'untouched',
  route: sourceAndTarget(start.route),
  temporal: executionOf(start),
  startedAt: now(),
  startedBy: start.startedBy,
  parent: start.parent,
  scheduledBy: start.scheduledBy,
  phases: [],
  actions: [actionOf({ who: start.startedBy, identity: identityOf(start) }, 'start', start.reason)],
  warnings: [],
  leftRunning: [],
});

/** A route as the record has it. */
export const sourceAndTarget = ({ name, source, target }: RunState['route']): RunState['route'] => ({
  name,
  source: source && endOf(source),
  target: target && endOf(target),
});

/** A rule names no group. */
const endOf = ({ portal, url, groupId }: RecordEnd): RecordEnd => ({
  portal,
  url,
  groupId: groupId === '' ? undefined : groupId,
});

/** What Temporal's Web UI shows of an open run: short Markdown. */
export function currentDetails(state: RunState): string {
  const { route, plan, items, error, children = [], operation, parked } = state;
  const what = operation ? `${state.kind} ${operation}` : route.name;
  const lines = [
    `**${state.status}**  ${what}: ${markdownText(routeWords(route))}  (target: ${targetStateText(state.target)})`,
    '',
    ...state.phases
      .filter((phase) => phase.status !== 'pending')
      .map(
        (phase) => `- ${phase.name}: ${phase.status}${phase.detail ? `, ${withCommand(phase.detail)}` : ''}`,
      ),
  ];
  for (const { runId, items: count, status } of children.slice(-PARTS_MAX))
    lines.push(`- ${runId}: ${countOf(count, 'item')}, ${status}`);
  if (plan) lines.push('', planWords(plan));
  if (items)
    lines.push(
      `results: ${items.imported} imported, ${items.kept} kept, ${items.failed} failed, ${items.notImported} not imported, ${items.unaccounted} unaccounted for`,
    );
  if (error) lines.push('', `${error.code}: ${markdownText(error.message)}`, withCommand(error.hint));
  if (parked && state.status === 'parked')
    lines.push('', ...parked.commands.map((command) => `- ${code(command)}`));
  return lines.join('\n');
}

/** Text that may end in a command, as code: Markdown would turn `--plan` into a dash. */
function withCommand(text: string): string {
  const at = text.search(/\bportolan [a-z-]+ /);
  return at < 0 ? markdownText(text) : markdownText(text.slice(0, at)) + code(text.slice(at));
}

const code = (text: string): string => `\`${oneLine(text).replaceAll('`', "'")}\``;

/** Readers look for the most recent ones. */
const PARTS_MAX = 20;

/** The current phase, for interceptors, which see activities but not the run. Each workflow has its own. */
let atHand: PhaseName | undefined;

export function setPhaseAtHand(name: PhaseName | undefined): void {
  atHand = name;
}

export const phaseAtHand = (): PhaseName | undefined => atHand;

export const phaseKey = defineSearchAttributeKey(searchAttributeNames.phase, 'KEYWORD');
export const outcomeKey = defineSearchAttributeKey(searchAttributeNames.outcome, 'KEYWORD');
export const kindKey = defineSearchAttributeKey(searchAttributeNames.kind, 'KEYWORD');
export const routeKey = defineSearchAttributeKey(searchAttributeNames.route, 'KEYWORD');
