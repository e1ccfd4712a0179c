import type { RunRecord } from '../../../model/run/run';
import { countWords } from '../../../model/text/words';
import { planActions } from '../../../model/transfer/plan';

/** A plan in figures: `5 create  6 overwrite  2 keep`. */
export const PlanFigures = ({ figures }: { readonly figures: NonNullable<RunRecord['plan']> }) => {
  const some = planActions.filter((action) => (figures[action] ?? 0) > 0);
  if (some.length === 0) return <>No changes</>;
  return (
    <span class="figures">
      {some.map((action) => (
        <span class={`figure ${action}`}>
          <b>{countWords(figures[action] ?? 0)}</b> {action}
        </span>
      ))}
    </span>
  );
};
