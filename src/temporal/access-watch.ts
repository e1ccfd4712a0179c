import { isRefusedAccess } from './connection';

/** @format milliseconds */
const EVERY_MS = 60_000;
/** One refusal may be a server's bad moment. */
const TIMES = 3;

export interface AccessWatch {
  /** Rejects with the refusal once the server has let nobody in by this key or certificate for some minutes. */
  readonly refused: Promise<never>;
  end(): void;
}

/**
 * Watches whether a worker is still let in: its core tries on for ever and says nothing where a key or a certificate has
 * ended, so that it would look as if there was nothing to do.
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
