import type { BackfillPlan } from '../backfill-schedule';
import { countOf, timeWords } from '../../terminal/words';

/** Times that are told one by one. */
const TOLD = 10;

/** What a backfill starts and leaves out. */
export function backfillText(name: string, { due, there }: BackfillPlan, isDry: boolean): string {
  const times = due.slice(0, TOLD).map((time) => `  ${timeWords(time)}`);
  const more = due.length > TOLD ? [`  and ${due.length - TOLD} more`] : [];
  const left =
    there.length === 0 ? [] : [`${countOf(there.length, 'time')} left out, which had a run already`];
  if (due.length === 0) return `Nothing to start: all ${there.length} times have a run already.`;
  return [
    `${isDry ? 'would start' : 'starts'} ${countOf(due.length, 'run')} of ${name}, due at`,
    ...times,
    ...more,
    ...left,
    isDry ? 'Nothing was started.' : `look     portolan schedule show ${name}`,
  ].join('\n');
}
