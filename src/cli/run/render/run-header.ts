import type { RunRoute } from '../../../model/transfer/route';
import type { Style } from '../../terminal/style';
import { labelled, routeWords } from '../../terminal/words';

export interface RunHeader {
  readonly route: RunRoute;
  /** Path of the configuration. */
  readonly config: string;
  readonly workers: readonly string[];
  readonly runId: string;
  /** False where a request id met the run that it had started before. */
  readonly isNew: boolean;
  /** Whether the run goes on without this command; that of the demo does not. @default true */
  readonly goesOn?: boolean;
}

/** The first lines of a sync: what goes where, with whose help, and what Ctrl-C does. */
export function runHeader(
  { route, config, workers, runId, isNew, goesOn = true }: RunHeader,
  style: Style,
): string {
  const { colors } = style;
  return [
    `${colors.bold(route.name)}  ${routeWords(route)}`,
    ...labelled(
      [
        ['config', config],
        ['worker', `${workers.join(', ')}, ${workers.length} polling`],
        ['run', `${runId}${isNew ? '' : '  (started before by this request id)'}`],
      ],
      style,
      11,
    ),
    ...(goesOn ? [colors.dim('           Ctrl-C stops watching, not the run')] : []),
    '',
  ].join('\n');
}
