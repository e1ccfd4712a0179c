import type { RunRecord } from '../../../model/run/run';
import { ledgerWords } from './ledger';
import type { Style } from '../../terminal/style';
import { labelled, safeText } from '../../terminal/words';

/** What a run that takes the place of an earlier one takes over, and what it does anew. */
export interface DoingAgain {
  readonly parent: RunRecord;
  /** `restarts`, `retries 3 items of`. */
  readonly verb: string;
  readonly reuses: readonly string[];
  readonly redoes: readonly string[];
  readonly notes: readonly string[];
}

/** For people, before it is done. */
export function doingAgainBlock({ parent, verb, reuses, redoes, notes }: DoingAgain, style: Style): string {
  const { runId, status, target } = parent;
  return [
    `${verb} ${style.colors.bold(runId)}  (${status}, target: ${target}${andItems(parent)})`,
    ...labelled(
      [
        ...(reuses.length > 0 ? reuses : ['nothing']).map(
          (each, at) => [at === 0 ? 'reuses' : '', each] as const,
        ),
        ['redoes', redoes.join(', ')],
      ],
      style,
    ),
    ...notes.map((note) => style.colors.yellow(`note     ${safeText(note)}`)),
  ].join('\n');
}

function andItems(parent: RunRecord): string {
  const words = ledgerWords(parent.items);
  return words === '' ? '' : `; ${words}`;
}
