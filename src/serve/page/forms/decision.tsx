import type { RunRecord } from '../../../model/run/run';
import { endWords } from '../../../model/text/words';
import { changedCount, changesWords, comparedWords } from '../../../model/transfer/plan-summary';
import { Action } from '../actions/action';
import { PlanFigures } from '../parts/run-marks';
import { Part } from '../parts/table';
import { Words } from '../parts/words';

interface DecisionProps {
  readonly record: RunRecord;
  readonly figures: NonNullable<RunRecord['plan']>;
}

/**
 * Approves or rejects exactly the plan that is shown: the form sends its hash. Before items are overwritten the portal's
 * name must be typed, so that nobody approves for the wrong portal by mistake.
 */
export const Decision = ({ record, figures }: DecisionProps) => {
  const { runId: run, route } = record;
  const { target } = route;
  const compared = comparedWords(figures);
  const known = { run, plan: figures.hash };
  const isConfirmed = changedCount(figures) > 0 && target !== undefined;
  return (
    <Part id="decision" title="Decision">
      <div class="binds">
        <h3>What you approve</h3>
        <p>
          Plan <code>{figures.hash}</code>
          {target && (
            <>
              {' '}
              into <Words text={endWords(target)} />
            </>
          )}
          : <PlanFigures figures={figures} />
          {compared && ` (${compared})`}. You approve exactly this plan. Any change needs a new approval.
        </p>
      </div>
      <Action
        of="approve"
        known={known}
        with={record}
        without={isConfirmed ? [] : ['portal']}
        labels={{
          portal: `This will ${changesWords(figures)} on ${target?.portal}. Type the portal name to confirm.`,
        }}
      />
      <Action of="reject" known={known} with={record} />
    </Part>
  );
};
