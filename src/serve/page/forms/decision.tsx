import { addressOfRun } from '../../../config/page-address';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { changedCount, changesWords } from '../../../model/transfer/plan-summary';
import { endWords } from '../../../model/text/words';
import { Action, Field, Reason } from '../parts/action';
import { PlanFigures } from '../parts/plan-figures';
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
  const { runId, route } = record;
  const { target } = route;
  const short = shortRunId(runId);
  const at = addressOfRun(runId);
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
          : <PlanFigures figures={figures} />. You approve exactly this plan. Any change needs a new approval.
        </p>
      </div>
      <Action
        {...{ to: `${at}/approve`, button: 'Approve', right: 'approve', tone: 'main', with: record }}
        command={`portolan run approve ${short} --plan ${figures.hash}`}
        sent={{ plan: figures.hash }}
      >
        {changedCount(figures) > 0 && target && (
          <Field
            name="portal"
            label={`This will ${changesWords(figures)} on ${target.portal}. Type the portal name to confirm.`}
            isNeeded
          />
        )}
        <Reason />
      </Action>
      <Action
        {...{ to: `${at}/reject`, button: 'Reject', right: 'approve', tone: 'danger', with: record }}
        command={`portolan run reject ${short}`}
        sent={{ plan: figures.hash }}
      >
        <Reason isNeeded />
      </Action>
    </Part>
  );
};
