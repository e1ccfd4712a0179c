import { PortolanError } from '../../model/errors/errors';
import { joinedFigures, mappedFigures, type MappedFigures } from '../../model/release/reference-map';
import type { WholePlan } from '../../model/release/whole-plan';
import type { Plan, PlanAction, PlanRow, PlanSummary } from '../../model/transfer/plan';

/** How many rows a promotion's plan lists; the groups' plans have all. */
export const ROWS_MAX = 10_000;
/** How many items an error names. */
const NAMED_MAX = 5;

/** A group of a stage and the plan made for it. */
export interface GroupPlan {
  readonly name: string;
  readonly groupId: string;
  readonly sha256: string;
  readonly plan: Pick<Plan, 'rows' | 'arrivedLater' | 'mapped'>;
}

/** The plans of all groups of a stage as one. */
export interface JoinedPlans {
  readonly groups: WholePlan['groups'];
  /** The first rows, each with the name of its group. */
  readonly rows: PlanRow[];
  readonly figures: Pick<PlanSummary, 'extra' | 'arrivedLater' | 'mapped'>;
}

/**
 * Joins the plans of a stage's groups. Reads them one by one, so that only one is in memory.
 * @throws PortolanError PROMOTION_BLOCKED if a row is blocked, or two groups would create the same item
 */
export async function wholePlanOf(
  plans: Iterable<GroupPlan> | AsyncIterable<GroupPlan>,
): Promise<JoinedPlans> {
  const groups: WholePlan['groups'] = [];
  const rows: PlanRow[] = [];
  const blocked: string[] = [];
  const mapped: MappedFigures[] = [];
  const createdIn = new Map<string, string>();
  let [extra, arrivedLater] = [0, 0];

  const whyBlocked = ({ action, itemId, reason = 'blocked' }: PlanRow, name: string): string | undefined => {
    if (action === 'blocked') return reason;
    if (action !== 'create') return undefined;
    // Once one group has imported it, no import of another can overwrite it.
    const first = createdIn.get(itemId) ?? name;
    createdIn.set(itemId, first);
    return first === name ? undefined : `is new, and group "${first}" already contains it`;
  };

  for await (const { name, groupId, sha256, plan } of plans) {
    const count = (action: PlanAction): number => plan.rows.filter((row) => row.action === action).length;
    for (const row of plan.rows) {
      const why = whyBlocked(row, name);
      if (why !== undefined) blocked.push(`group "${name}": ${row.title} (${row.itemId}): ${why}`);
    }
    if (rows.length < ROWS_MAX) rows.push(...plan.rows.map((row) => ({ ...row, of: name })));
    groups.push({
      ...{ name, groupId, sha256, create: count('create'), overwrite: count('overwrite') },
      ...{ keep: count('keep'), blocked: count('blocked') },
    });
    extra += count('extra');
    arrivedLater += plan.arrivedLater;
    if (plan.mapped) mapped.push(mappedFigures.parse(plan.mapped));
  }
  if (blocked.length > 0) throw blockedError(blocked);
  return {
    groups,
    rows: rows.slice(0, ROWS_MAX),
    figures: { extra, arrivedLater, ...(mapped.length > 0 && { mapped: joinedFigures(mapped) }) },
  };
}

/** What a whole plan does to how many items. */
export function countsOf({
  groups,
}: WholePlan): Pick<PlanSummary, 'create' | 'overwrite' | 'remove' | 'keep' | 'blocked'> {
  const sum = (of: 'create' | 'overwrite' | 'remove' | 'keep' | 'blocked'): number =>
    groups.reduce((all, each) => all + (each[of] ?? 0), 0);
  return {
    ...{ create: sum('create'), overwrite: sum('overwrite'), keep: sum('keep'), blocked: sum('blocked') },
    ...(sum('remove') > 0 && { remove: sum('remove') }),
  };
}

function blockedError(blocked: readonly string[]): PortolanError {
  const more = blocked.length > NAMED_MAX ? `; and ${blocked.length - NAMED_MAX} more` : '';
  return new PortolanError(
    'PROMOTION_BLOCKED',
    `${blocked.length} items are blocked on the stage: ${blocked.slice(0, NAMED_MAX).join('; ')}${more}`,
  );
}
