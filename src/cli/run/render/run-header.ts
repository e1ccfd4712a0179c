import type { Takeover } from '../../../contract/starts';
import { oneLine } from '../../../model/text/plain-text';
import { targetStateText } from '../../../model/run/phase';
import type { RunRecord } from '../../../model/run/run';
import type { Style } from '../../terminal/style';
import { routeWords } from '../../../model/text/words';
import { labelled } from '../../terminal/columns';
import { ledgerWords } from '../../../service/run/run-words';

export interface RunHeader {
  readonly route: RunRecord['route'];
  /** The path of the configuration, or the URL of a server. */
  readonly place: { readonly label: string; readonly words: string };
  readonly workers: readonly string[];
  readonly runId: string;
  /** False if the request ID had already started this run. */
  readonly isNew: boolean;
  /** Whether the run continues without this command; a demo's does not. @default true */
  readonly goesOn?: boolean;
}

/** The first lines of a run: source and target, workers, and what Ctrl-C does. */
export function runHeader(
  { route, place, workers, runId, isNew, goesOn = true }: RunHeader,
  style: Style,
): string {
  const { colors } = style;
  return [
    `${colors.bold(route.name)}  ${routeWords(route)}`,
    ...labelled(
      [
        [place.label, place.words],
        ['worker', `${workers.join(', ')}, ${workers.length} polling`],
        ['run', `${runId}${isNew ? '' : '  (already started with this request id)'}`],
      ],
      style,
      11,
    ),
    ...(goesOn ? [colors.dim('           Ctrl-C stops watching, not the run')] : []),
    '',
  ].join('\n');
}

/** What a run will reuse from an earlier run. */
export function takeoverBlock({ parent, verb, reuses, redoes, notes }: Takeover, style: Style): string {
  const { runId, status, target } = parent;
  return [
    `${verb} ${style.colors.bold(runId)}  (${status}, target: ${targetStateText(target)}${itemsOf(parent)})`,
    ...labelled(
      [
        ...(reuses.length > 0 ? reuses : ['nothing']).map(
          (each, at) => [at === 0 ? 'reuses' : '', each] as const,
        ),
        ['redoes', redoes.join(', ')],
      ],
      style,
    ),
    ...notes.map((note) => style.colors.yellow(`note     ${oneLine(note)}`)),
  ].join('\n');
}

function itemsOf(parent: RunRecord): string {
  const words = ledgerWords(parent.items);
  return words === '' ? '' : `; ${words}`;
}
