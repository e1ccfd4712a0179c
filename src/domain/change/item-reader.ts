import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import { findItem } from '../../portal/resources/items/items';
import { type Retry, retrier } from '../transfer/retry';
import { type ItemContent, readContent } from './item-content';

interface ReadItems {
  readonly signal?: AbortSignal;
  /** Called with an error that may be the portal's rather than the item's; may throw it. @default the part is unread */
  readonly onFailed?: (thrown: unknown) => void;
}

/** Reads the content of a portal's items. One that the portal cannot show does not hold up the others. */
export class ItemReader {
  readonly #retry: Retry;
  /** An item that the portal has shown. */
  #shown?: string;

  constructor(
    private readonly portal: Portal,
    private readonly options: ReadItems,
  ) {
    this.#retry = retrier(options.signal);
  }

  async read(itemId: string): Promise<ItemContent> {
    const { signal, onFailed } = this.options;
    let failed: PortolanError | undefined;
    const retry: Retry = async (task) => {
      try {
        return await this.#retry(task);
      } catch (thrown) {
        const error = PortolanError.from(thrown);
        // A service may run on another machine, which says nothing about the portal.
        if (error.facts.operation?.startsWith('item.')) failed ??= error;
        throw thrown;
      }
    };
    // Many requests listen at a time: each item has a signal of its own.
    const own = signal && AbortSignal.any([signal]);
    const content = await readContent(this.portal, itemId, { signal: own, retry });
    if (failed === undefined) this.#shown = itemId;
    else if (!(await this.#isItemAtFault(itemId))) onFailed?.(failed);
    return content;
  }

  /** Whether the portal still shows another item. */
  async #isItemAtFault(itemId: string): Promise<boolean> {
    if (this.#shown === undefined || this.#shown === itemId) return false;
    const { signal } = this.options;
    return (await findItem(this.portal, this.#shown, { signal }).catch(() => undefined)) !== undefined;
  }
}
