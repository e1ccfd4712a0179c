import { oneLine } from '../../model/text/plain-text';
import { countOf, timeWords } from '../../model/text/words';
import type { StageView } from '../../contract/pipelines';

/** `2 items edited, 1 fewer`. */
export function driftWords(drift: StageView['drift']): string | undefined {
  if (!drift) return undefined;
  if ('unknown' in drift) return `unknown: ${oneLine(drift.unknown)}`;
  const { edited, fewer } = drift;
  const words = [
    ...(edited.length > 0 ? [`${countOf(edited.length, 'item')} edited`] : []),
    ...(fewer > 0 ? [`${fewer} fewer`] : []),
  ];
  return words.join(', ') || 'none';
}

/** The release that can be promoted next, and from when. */
export function nextWords({ release, from, wentBack }: NonNullable<StageView['next']>): string {
  const when = from === undefined ? '' : ` from ${timeWords(from)}`;
  return `${release}${when}${wentBack ? ' (rolled back before)' : ''}`;
}
