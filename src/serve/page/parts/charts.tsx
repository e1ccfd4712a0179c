import { useVisit } from '../visit';
import type { Mark } from '../../../model/text/sheet';
import { timeWords } from '../../../model/text/words';
import { markClasses } from './sheet';

/** One column of a chart. */
export interface Point {
  readonly at: string;
  readonly value: number;
  readonly words: string;
  readonly mark?: Mark;
}

const WIDTH = 320;
const HEIGHT = 64;
const GAP = 2;
/** Keeps a single column from filling the chart. */
const COLUMN_MAX = 24;

/**
 * A column chart from zero, oldest first, with a tooltip per column.
 * @param sums text alternative
 */
export const Columns = ({ points, sums }: { readonly points: readonly Point[]; readonly sums: string }) => {
  const { now } = useVisit();
  if (points.length === 0 || now === 0) return <p class="fine">No data yet</p>;
  const most = Math.max(...points.map(({ value }) => value), 1);
  const step = Math.min(COLUMN_MAX, WIDTH / points.length);
  const width = Math.max(1, step - GAP);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={sums}>
      {points.map(({ at, value, words, mark }, index) => {
        const height = Math.max(2, (value / most) * HEIGHT);
        return (
          <rect
            class={mark ? markClasses[mark] : 'plain'}
            x={(index * step).toFixed(1)}
            y={(HEIGHT - height).toFixed(1)}
            width={width.toFixed(1)}
            height={height.toFixed(1)}
          >
            <title>{`${timeWords(at)}: ${words}`}</title>
          </rect>
        );
      })}
    </svg>
  );
};
