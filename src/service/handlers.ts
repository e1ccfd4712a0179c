import type { Handlers } from './context';
import { freezeHandlers } from './freeze/freezes';
import { liveHandlers } from './live';
import { answerHandlers } from './run/answers';
import { runHandlers } from './run/runs';
import { startHandlers } from './start/starts';

/** What carries out each operation of the contract. */
export const handlers: Handlers = {
  ...answerHandlers,
  ...freezeHandlers,
  ...liveHandlers,
  ...runHandlers,
  ...startHandlers,
};
