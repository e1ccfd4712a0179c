import { condition, defineUpdate, setHandler, TemporalFailure } from '@temporalio/workflow';
import type { UpdateDefinition } from '@temporalio/common';
import { messageNames } from '../../model/run/run-input';
import { refuse } from './failure';

/** How a run handles an update. */
interface UpdateHandler<Message> {
  /** Throws if the message does not fit the run. */
  readonly check: (message: Message) => void;
  readonly handle: (message: Message) => Promise<string>;
}

/** By update name. Each workflow has its own. */
const handlers = new Map<string, UpdateHandler<unknown>>();

/**
 * Holds updates until the run handles them. A workflow calls this before its first wait, because the SDK then rejects
 * updates without a handler.
 */
export function holdUpdates(): void {
  for (const name of [messageNames.approve, messageNames.reject, messageNames.resume]) {
    setHandler(defineUpdate<string, [unknown]>(name), async (message) => {
      await condition(() => handlers.has(name));
      const { check, handle } = handlers.get(name)!;
      // A held update is already in history. Any other error would fail the workflow task forever.
      try {
        check(message);
      } catch (error) {
        throw error instanceof TemporalFailure ? error : refuse(`the run cannot read the ${name} message`);
      }
      return await handle(message);
    });
  }
}

/** Handles an update from now on, including those held. */
export function handleUpdate<Message>(
  update: UpdateDefinition<string, [Message]>,
  handler: UpdateHandler<Message>,
): void {
  const { check, handle } = handler;
  setHandler(update, handle, { validator: check });
  handlers.set(update.name, handler as UpdateHandler<unknown>);
}
