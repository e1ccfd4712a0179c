import { isRefusedAccess } from './connection';

/** @format milliseconds */
const EVERY_MS = 60_000;
/** A single refusal may be temporary. */
const TIMES = 3;

export interface AccessWatch {
  /** Rejects once the server has refused this key or certificate for some minutes. */
  readonly refused: Promise<never>;
  end(): void;
}

/**
 * Watches whether a worker still has access: the SDK retries forever without a message after a key or certificate
 * expires, as if there were no work.
 * @param ask connects, and throws as `connectTemporal` does
 */
export function watchAccess(ask: () => Promise<unknown>, everyMs = EVERY_MS): AccessWatch {
  let times = 0;
  let refuse: (refusal: unknown) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => (refuse = reject));
  const look = async (): Promise<void> => {
    try {
      await ask();
      times = 0;
    } catch (thrown) {
      times = isRefusedAccess(thrown) ? times + 1 : 0;
      if (times >= TIMES) refuse(thrown);
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return { refused, end: () => clearInterval(timer) };
}
