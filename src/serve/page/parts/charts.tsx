import { useVisit } from '../visit';
import { timeWords } from '../../../model/text/words';

/** One column of a chart: when, how much, and what is said of it. */
export interface Point {
  readonly at: string;
  readonly value: number;
  readonly words: string;
  /** How the column is coloured. @default plain */
  readonly tone?: 'good' | 'bad' | 'warn';
}

const WIDTH = 320;
const HEIGHT = 64;
const GAP = 2;
/** The widest a column is: a single one is no wall. */
const COLUMN_MAX = 24;

/**
 * Columns, the oldest first, from zero; what each is of is said where a pointer rests on it.
 * @param sums in words what the columns are
 */
export const Columns = ({ points, sums }: { readonly points: readonly Point[]; readonly sums: string }) => {
  const { now } = useVisit();
  if (points.length === 0 || now === 0) return <p class="fine">nothing yet</p>;
  const most = Math.max(...points.map(({ value }) => value), 1);
  const step = Math.min(COLUMN_MAX, WIDTH / points.length);
  const width = Math.max(1, step - GAP);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={sums}>
      {points.map(({ at, value, words, tone = 'plain' }, index) => {
        const height = Math.max(2, (value / most) * HEIGHT);
        return (
          <rect
            class={tone}
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
