import type { NotifyConfig } from '../../config/config';
import type { Notification } from '../../model/run/notification';
import { runCommand } from './command';
import type { NotNotified } from './message';
import { postWebhook } from './webhook';

/** Sends one message to one receiver, once. It may arrive although it is said here that it did not. */
export const notifyReceiver = (
  receiver: NotifyConfig,
  message: Notification,
  signal?: AbortSignal,
): Promise<NotNotified | undefined> =>
  'command' in receiver ? runCommand(receiver, message, signal) : postWebhook(receiver, message, signal);
