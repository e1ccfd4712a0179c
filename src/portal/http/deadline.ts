/**
 * One signal for a caller's abort and a time limit. Every call to a portal runs under one, and asks it
 * afterwards which of the two it was.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended: 'aborted' | 'timed out' | undefined;

  /** @param ms undefined for no limit */
  constructor(caller: AbortSignal | undefined, ms: number | undefined) {
    this.#caller = caller;
    if (ms !== undefined) this.limit(ms);
    if (caller?.aborted) this.#end('aborted');
    else caller?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** From now on there is a time limit, where there was none. @format milliseconds */
  limit(ms: number): void {
    this.#timer ??= setTimeout(() => this.#end('timed out'), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the signal fired; undefined as long as it has not. */
  get ended(): 'aborted' | 'timed out' | undefined {
    return this.#ended;
  }

  /** The promise's outcome, or a rejection when the signal fires first; the promise itself continues. */
  async race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([promise, ended]);
    } finally {
      if (onAbort) signal.removeEventListener('abort', onAbort);
    }
  }

  /** Frees the timer and the caller's signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = () => this.#end('aborted');

  #end(reason: 'aborted' | 'timed out'): void {
    this.#ended ??= reason;
    this.#controller.abort(new DOMException(`The call was ${reason}.`, 'AbortError'));
  }
}
