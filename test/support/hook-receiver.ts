import http from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Notification } from '../../src/model/run/notification';
import { close, listen, withBody } from './listening';

/** A message as it came, and what the library of whoever receives it makes of it. */
export interface ReceivedHook {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** What each of the secrets says of it: the message, or why it is none. */
  readonly verified: readonly (Notification | string)[];
}

/** Somebody who receives signed messages, and answers what the test says. */
export class HookReceiver {
  readonly received: ReceivedHook[] = [];
  /** HTTP status of the answer to a message that came so often under its id, from 1. */
  answer: (message: ReceivedHook, time: number) => number = () => 204;
  private readonly server: http.Server;

  /** @param secrets that the receiver knows */
  constructor(secrets: readonly string[]) {
    const keys = secrets.map((secret) =>
      secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' }),
    );
    this.server = http.createServer(
      withBody((request, body, response) => {
        const headers = request.headers as Record<string, string>;
        const message: ReceivedHook = {
          body: body.toString(),
          id: headers['webhook-id'] ?? '',
          timestamp: headers['webhook-timestamp'] ?? '',
          signature: headers['webhook-signature'] ?? '',
          verified: keys.map((key) => {
            try {
              return key.verify(body, headers) as Notification;
            } catch (thrown) {
              return String(thrown);
            }
          }),
        };
        this.received.push(message);
        const times = this.received.filter(({ id }) => id === message.id).length;
        const status = this.answer(message, times);
        response.writeHead(status).end(status === 204 ? undefined : 'planted-answer-of-the-receiver');
      }),
    );
  }

  async open(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.server)}/planted-path`;
  }

  close = (): Promise<void> => close(this.server);
}
