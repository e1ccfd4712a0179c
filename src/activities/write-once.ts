import { PortolanError } from '../model/errors';
import { isRepeat } from './heartbeat';

/** A write that a portal shows afterwards. */
export interface ShownWrite {
  /** Whether the portal shows already what is to be written. */
  readonly isThere: () => Promise<boolean>;
  readonly post: () => Promise<unknown>;
}

/**
 * Writes what the portal does not show yet. A repeat looks first, and so does a write whose answer was lost: it is
 * sent again only by a later attempt that has seen that it is not there.
 */
export async function writeOnce({ isThere, post }: ShownWrite): Promise<void> {
  if (isRepeat() && (await isThere())) return;
  try {
    await post();
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (error.meaning.begun === 'no' || !(await isThere())) throw error;
  }
}
