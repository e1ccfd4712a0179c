import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { FencedWrite } from '../attempt/fence';
import { isRepeat, lastProgress, progress, stopSignal } from '../attempt/heartbeat';

/** A write that a portal shows afterwards. */
export interface ShownWrite {
  /** Whether the portal shows already what is to be written. */
  readonly isThere: () => Promise<boolean>;
  /** @param options for the call that writes */
  readonly post: (options: CallOptions) => Promise<unknown>;
}

/** What attempts know of those before them: whether one of them may have written. */
interface Tried {
  readonly mayBeThere?: boolean;
}

/**
 * Writes what the portal does not show yet. A repeat looks first, and so does a write whose answer was lost: it is
 * sent again only by a later attempt that has seen that it is not there. What it throws says whether any attempt may
 * have written, whatever the last of them met.
 */
export async function writeOnce({ isThere, post }: ShownWrite): Promise<void> {
  // One that was cut off without a word may have written.
  const mayBeThere = isRepeat() && lastProgress<Tried>()?.mayBeThere !== false;
  try {
    if (isRepeat() && (await isThere())) return;
  } catch (thrown) {
    throw noted(thrown, mayBeThere);
  }
  progress({ mayBeThere: true });
  const write = new FencedWrite();
  try {
    await post({ ...write.options, signal: stopSignal() });
  } catch (thrown) {
    if (!write.mayHaveBegun(thrown)) throw noted(thrown, mayBeThere);
    // Where the look fails as well, the next attempt looks again.
    if (!(await isThere().catch(() => false))) throw noted(thrown, true);
  }
}

function noted(thrown: unknown, mayBeThere: boolean): PortolanError {
  progress({ mayBeThere });
  return PortolanError.from(thrown).with({ mayBeThere });
}
