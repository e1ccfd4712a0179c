import { isRefusedAccess } from './connection';
import { PortolanError } from '../model/errors/errors';

/** @format milliseconds */
const EVERY_MS = 60_000;
/** One refusal may be a server's bad moment. */
const TIMES = 3;

export interface AccessWatch {
  /** Settles once the server has let nobody in by this key or certificate for some minutes; else stays open. */
  readonly refused: Promise<void>;
  /** Throws what it was refused with, where it was. */
  refusal(): void;
  end(): void;
}

/**
 * Watches whether a worker is still let in: its core tries on for ever and says nothing where a key has ended, so that
 * it would look as if there was nothing to do.
 * @param ask connects, and throws as `connectTemporal` does
 */
export function watchAccess(ask: () => Promise<unknown>, everyMs = EVERY_MS): AccessWatch {
  let times = 0;
  let last: Error | undefined;
  let refuse: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const look = async (): Promise<void> => {
    try {
      await ask();
      times = 0;
    } catch (thrown) {
      times = isRefused(thrown) ? times + 1 : 0;
      if (times < TIMES) return;
      last = thrown as Error;
      refuse();
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    refused,
    refusal() {
      if (last !== undefined) throw last;
    },
    end: () => clearInterval(timer),
  };
}

const isRefused = (thrown: unknown): boolean =>
  isRefusedAccess(thrown instanceof PortolanError ? thrown.cause : thrown);
