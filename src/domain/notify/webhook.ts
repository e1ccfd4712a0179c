import { request } from 'undici';
import type { NotifyConfig } from '../../config/config';
import { webhookUrlProblem } from '../../config/portal-url';
import { PortolanError } from '../../model/errors/errors';
import type { Notification } from '../../model/run/notification';
import type { NotNotified } from './message';

/** A receiver that has not answered by then is taken for gone. */
export const WEBHOOK_LIMIT_MS = 10_000;

type WebhookReceiver = Extract<NotifyConfig, { webhook: unknown }>;

/** Answers after which the same message may be taken a moment later. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * Posts the message as JSON. Redirects are not followed: the message goes to the configured host and to no other.
 * Of its address only the host is ever told, since path and query are what lets anybody write there.
 */
export async function postWebhook(
  { webhook, insecure, place }: WebhookReceiver,
  message: Notification,
  signal?: AbortSignal,
  limitMs = WEBHOOK_LIMIT_MS,
): Promise<NotNotified | undefined> {
  let url: string;
  try {
    url = await webhook.read();
  } catch (thrown) {
    return { problem: PortolanError.from(thrown).plainMessage, again: false };
  }
  const unfit = webhookUrlProblem(url, insecure);
  if (unfit !== undefined) return { problem: `${place}.webhook: ${unfit}`, again: false };
  const name = `${place} (${new URL(url).host})`;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'portolan' },
      body: JSON.stringify(message),
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    // Accepted is accepted, however its body ends.
    body.on('error', () => {}).resume();
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return { problem: `${name} answered HTTP ${statusCode}`, again: mayPass(statusCode) };
  } catch (thrown) {
    if (limit.aborted) return { problem: `${name} did not answer within ${limitMs / 1000} s`, again: true };
    return { problem: `${name} cannot be reached (${causeOf(thrown)})`, again: true };
  }
}

/** The system's code alone: messages may repeat the address. */
function causeOf(thrown: unknown): string {
  const { code, cause } = thrown as { code?: unknown; cause?: { code?: unknown } };
  return [code, cause?.code].find((each) => typeof each === 'string') ?? 'unknown cause';
}
