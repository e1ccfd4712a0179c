import { addressOfRun } from '../../../config/page-address';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { changedCount, changesWords } from '../../../model/transfer/plan-figures';
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
 * Yes or no to exactly the plan that is shown: its hash goes with the answer, and another plan is not approved by it.
 * Where something is overwritten the portal's name has to be typed, so that a yes to the wrong one is no slip.
 */
export const Decision = ({ record, figures }: DecisionProps) => {
  const { runId, route } = record;
  const { target } = route;
  const short = shortRunId(runId);
  const at = addressOfRun(runId);
  return (
    <Part id="decision" title="Your decision">
      <div class="binds">
        <h3>What an approval is for</h3>
        <p>
          Plan <code>{figures.hash}</code>
          {target && (
            <>
              {' '}
              into <Words text={endWords(target)} />
            </>
          )}
          : <PlanFigures figures={figures} />. It binds the packages, the target group, and what happens to
          each item; where any of that changes, it asks again.
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
            label={`It will ${changesWords(figures)} on ${target.portal}: type its name`}
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
