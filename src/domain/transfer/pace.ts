import {
  TRANSFER_LEAST_RATE,
  TRANSFER_PAUSE_COUNTS_MS,
  TRANSFER_STALLS_MS,
} from '../../model/errors/budgets';
import { PortolanError } from '../../model/errors/errors';
import type { Stretch } from '../../model/transfer/stored-package';

/** Error for a transfer that is too slow: `bytes` within the tolerated time. */
interface Trickle {
  readonly bytes: number;
  readonly minutes: number;
}

/**
 * The speed of a transfer, measured over ten minutes at a time. A byte now and then would keep a connection open
 * forever and hold a slot another route could use.
 */
export class Pace {
  #stretch: Stretch;

  /** @param stretch where an earlier attempt stood */
  constructor(stretch: Stretch = { bytes: 0, ms: 0 }) {
    this.#stretch = stretch;
  }

  /** State of the current measurement. */
  get stretch(): Stretch {
    return this.#stretch;
  }

  /**
   * Counts received bytes.
   * @param ms since those before
   * @returns undefined unless the stretch is over, and was too slow
   */
  add(bytes: number, ms: number): Trickle | undefined {
    const ended = {
      bytes: this.#stretch.bytes + bytes,
      ms: this.#stretch.ms + Math.min(Math.max(ms, 0), TRANSFER_PAUSE_COUNTS_MS),
    };
    const isOver = ended.ms >= TRANSFER_STALLS_MS;
    this.#stretch = isOver ? { bytes: 0, ms: 0 } : ended;
    if (!isOver || ended.bytes >= (ended.ms / 1_000) * TRANSFER_LEAST_RATE) return undefined;
    return { bytes: ended.bytes, minutes: Math.floor(ended.ms / 60_000) };
  }
}

/** The error. @param what such as `download from staging` */
export const tooSlow = (
  what: string,
  { bytes, minutes }: Trickle,
  soFar: number,
  portal: string,
): PortolanError =>
  new PortolanError(
    'TRANSFER_STALLED',
    `${what}: ${bytes} bytes in ${minutes} minutes, ${soFar} so far; slower than ${TRANSFER_LEAST_RATE} bytes a second`,
    { portal },
  );

/** A body that fails with TRANSFER_STALLED if it is too slow. @param what as `tooSlow` says it */
export async function* atPace(
  body: AsyncIterable<Uint8Array>,
  what: string,
  portal: string,
): AsyncGenerator<Uint8Array> {
  const pace = new Pace();
  let [at, bytes] = [Date.now(), 0];
  for await (const chunk of body) {
    const now = Date.now();
    bytes += chunk.length;
    const trickle = pace.add(chunk.length, now - at);
    at = now;
    if (trickle) throw tooSlow(what, trickle, bytes, portal);
    yield chunk;
  }
}
