import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { paint } from './ending';
import type { Style } from '../../terminal/style';
import { countOf } from '../../terminal/words';

type Child = NonNullable<RunRecord['children']>[number];

/** Runs of a bisect that are named one by one; the first ones tell the least. */
const namedChildren = 20;

/** `k7q2n003   4 items  failed`. */
export const childText = ({ runId, items, status }: Child, style: Style): string =>
  `${shortRunId(runId).padEnd(10)} ${countOf(items, 'item').padStart(9)}  ${paint({ status }, status, style)}`;

/** The runs of a bisect, of which each is a run of its own. */
export function childrenBlock({ children }: RunRecord, style: Style): string[] {
  if (children === undefined || children.length === 0) return [];
  const left = children.length - namedChildren;
  return [
    `${style.colors.bold('RUNS')}     ${countOf(children.length, 'import')} so far; each is shown by: portolan run show RUN`,
    ...(left > 0 ? [`  ${left} more before these`] : []),
    ...children.slice(-namedChildren).map((child) => `  ${childText(child, style)}`),
  ];
}
