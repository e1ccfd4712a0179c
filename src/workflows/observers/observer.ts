import type { Run } from '../run/run';

/** What stands beside a run and wants to hear of its moments. It fails no run, but where that was cancelled meanwhile. */
export interface Observer {
  started?(run: Run): Promise<void>;
  /** For an approval. */
  waiting?(run: Run): Promise<void>;
  /** The approval came, or nobody gave it. */
  answered?(run: Run): Promise<void>;
  /** Just before the import. */
  importing?(run: Run): Promise<void>;
  /** The import is over; and at the end of any run. */
  imported?(run: Run): Promise<void>;
  /** It is about to be parked: what cannot be done at once is left to its end. */
  halted?(run: Run): Promise<void>;
  parked?(run: Run): Promise<void>;
  resumed?(run: Run): Promise<void>;
  /** It is closed, and its record is written. */
  ended?(run: Run): Promise<void>;
}
