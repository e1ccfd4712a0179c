import type { NotifyConfig } from '../../config/config';
import type { Notification } from '../../model/run/notification';
import { runCommand } from './command';
import { postWebhook } from './webhook';

/** Why a message did not arrive, in words that hold no address, argument or answer. */
export interface NotNotified {
  readonly problem: string;
  /** Whether it may arrive when it is sent once more. */
  readonly again: boolean;
}

/** Sends one message to one receiver, once. It may arrive although it is said here that it did not. */
export const notifyReceiver = (
  receiver: NotifyConfig,
  message: Notification,
  signal?: AbortSignal,
): Promise<NotNotified | undefined> =>
  'command' in receiver ? runCommand(receiver, message, signal) : postWebhook(receiver, message, signal);
