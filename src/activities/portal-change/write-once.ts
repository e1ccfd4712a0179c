import { PortolanError } from '../../model/errors/errors';
import type { CallOptions } from '../../portal/http/request';
import { FencedWrite } from '../attempt/fence';
import { isRepeat, lastProgress, progress, stopSignal } from '../attempt/heartbeat';

/** A write whose result the portal shows. */
interface ShownWrite {
  /** Whether the portal already shows it. */
  readonly isThere: () => Promise<boolean>;
  /**
   * @param options for the request that writes
   * @param mayBeThere whether an earlier attempt may have written
   */
  readonly post: (options: CallOptions, mayBeThere: boolean) => Promise<unknown>;
}

/** What attempts know of earlier ones: whether one may have written. */
interface Tried {
  readonly mayBeThere: boolean;
}

/**
 * Writes what the portal does not show yet. After a write whose response was lost it looks first, and only a later
 * attempt sends it again. The error says whether any attempt may have written.
 */
export async function writeOnce({ isThere, post }: ShownWrite): Promise<void> {
  // An attempt that was cut off may have written.
  const mayBeThere = isRepeat() && lastProgress<Tried>().mayBeThere !== false;
  try {
    if (mayBeThere && (await isThere())) return;
  } catch (thrown) {
    throw noted(thrown, true);
  }
  progress({ mayBeThere: true });
  const write = new FencedWrite();
  try {
    await post({ ...write.options, signal: stopSignal() }, mayBeThere);
  } catch (thrown) {
    if (!write.mayHaveBegun(thrown)) throw noted(thrown, mayBeThere);
    // If this check also fails, the next attempt checks again.
    if (!(await isThere().catch(() => false))) throw noted(thrown, true);
  }
}

function noted(thrown: unknown, mayBeThere: boolean): PortolanError {
  progress({ mayBeThere });
  return PortolanError.from(thrown).with({ mayBeThere });
}
