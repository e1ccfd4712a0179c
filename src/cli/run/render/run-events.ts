import type { RunEvent } from '../../../contract/runs';
import { oneLine } from '../../../model/text/plain-text';
import type { Style } from '../../terminal/style';
import { secondWords } from '../../../model/text/words';

/** One line per event. */
export const runEventsText = (events: readonly RunEvent[], style: Style): string =>
  events.map((event) => eventLine(event, style)).join('\n');

function eventLine({ at, kind, subject, what }: RunEvent, { colors }: Style): string {
  const line = `${oneLine(subject).padEnd(12)}  ${oneLine(what)}`;
  const painted = kind === 'problem' ? colors.red(line) : kind === 'message' ? colors.bold(line) : line;
  return `${colors.dim(secondWords(at))}  ${painted}`;
}
