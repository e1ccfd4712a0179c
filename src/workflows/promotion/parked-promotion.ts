import type { ErrorRecord } from '../../model/run/run';
import type { Resume } from '../../model/run/run-input';
import { listFirst } from '../../model/text/words';
import { refuse } from '../run/failure';
import { resumePhase } from '../run/parking';
import type { AcceptedResume } from '../run/phase';
import type { PortalProgress, PromotionRun } from './promotion-run';

const words = {
  imported: 'as in the release',
  unclear: 'neither as in the release nor as before',
  back: 'as before',
} as const;

/** The state of each group. */
export function whereGroupsAre(
  run: PromotionRun,
  _error: ErrorRecord,
): Promise<{ evidence: string[]; held: string[] }> {
  const { input } = run;
  const { groups, portal } = run.own;
  const evidence = input.groups.map(({ name }, index) => {
    const { stands, runId } = groups[index] ?? {};
    const by = runId === undefined ? '' : `: portolan run show ${runId}`;
    return `group ${name} is ${stands === undefined ? words.back : words[stands]}${by}`;
  });
  for (const each of ['settings', 'categories'] as const)
    if (input[each]) evidence.push(`${each}: ${portalWords(portal[each])}`);
  return Promise.resolve({
    evidence: listFirst(evidence, LINES_MAX),
    held: [`stage ${input.stage}: blocked for other promotions`],
  });
}

function portalWords(change: PortalProgress['settings']): string {
  if (!change) return words.back;
  return change.isWhole ? words.imported : words.unclear;
}

const LINES_MAX = 30;

/** A promotion resumes as it was started; groups not yet imported are planned again. */
export function checkResume(run: PromotionRun, { set = {} }: Resume): Promise<AcceptedResume> {
  if (Object.keys(set).length > 0)
    throw refuse('a promotion takes no --set; correct the run of the group, or start another promotion');
  const { parked } = run.state;
  const phase = run.phases.find(({ name }) => name === parked?.phase);
  if (!phase) throw refuse('the run is not parked');
  return Promise.resolve({ phase: resumePhase(run, phase, parked?.code ?? ''), accept: () => undefined });
}
