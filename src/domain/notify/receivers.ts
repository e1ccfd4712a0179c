import path from 'node:path';
import { request } from 'undici';
import type { NotifyConfig } from '../../config/config';
import { signedHeaders, webhookId } from '../hook/signatures';
import type { Notification } from '../../model/run/notification';
import { runProgram } from '../run/programs';
import type { NotNotified } from './message';
import { webhookUrlProblem } from '../../config/url-problem';
import { PortolanError } from '../../model/errors/errors';
import { exactDuration } from '../../model/text/words';

/** Time limit of a program and everything it started. */
const COMMAND_LIMIT_MS = 30_000;

type CommandReceiver = Extract<NotifyConfig, { command: unknown }>;

/**
 * Starts the program with the message as JSON on its standard input, and what is needed to choose among messages in
 * its environment. What it prints is dropped, since that may hold a secret of its own.
 */
export async function runCommand(
  { command, folder, setting }: CommandReceiver,
  message: Notification,
  signal?: AbortSignal,
  withinMs = COMMAND_LIMIT_MS,
): Promise<NotNotified | undefined> {
  const { event, runId, route } = message;
  const { how, problem } = await runProgram(command, {
    input: message,
    cwd: folder,
    variables: { PORTOLAN_EVENT: event, PORTOLAN_RUN: runId, PORTOLAN_ROUTE: route },
    withinMs,
    signal,
  });
  if (problem === undefined) return undefined;
  return { problem: `${setting} (${path.basename(command[0])}) ${problem}`, again: how === 'ended' };
}

/** Time limit of a response. */
const WEBHOOK_LIMIT_MS = 10_000;

/** Maximum response size read. @format bytes */
const ANSWER_MAX = 16 * 1024;

type WebhookReceiver = Extract<NotifyConfig, { webhook: unknown }>;

/** Responses after which a retry may succeed. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * Posts the message as JSON, signed where it has secrets. Redirects are not followed: the message goes to the configured host and to no other.
 * Of its address only the host is ever told, since path and query are what lets anybody write there.
 */
export async function postWebhook(
  { webhook, secret: secrets, insecure, setting }: WebhookReceiver,
  message: Notification,
  signal?: AbortSignal,
  limitMs = WEBHOOK_LIMIT_MS,
): Promise<NotNotified | undefined> {
  const payload = JSON.stringify(message);
  let url: string;
  let signatures = {};
  try {
    url = await webhook.read();
    // Signed for each attempt: receivers refuse old signatures.
    if (secrets.length > 0) signatures = await signedHeaders(secrets, webhookId(message.id), payload);
  } catch (thrown) {
    return { problem: PortolanError.from(thrown).plainMessage, again: false };
  }
  const unfit = webhookUrlProblem(url, insecure);
  if (unfit !== undefined) return { problem: `${setting}.webhook: ${unfit}`, again: false };
  const name = `${setting} (${new URL(url).host})`;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'portolan', ...signatures },
      body: payload,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    // The status decides; the body is not read.
    body.dump({ limit: ANSWER_MAX }).catch(() => {});
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return { problem: `${name} returned HTTP ${statusCode}`, again: mayPass(statusCode) };
  } catch (thrown) {
    if (limit.aborted)
      return { problem: `${name} did not respond within ${exactDuration(limitMs)}`, again: true };
    return { problem: `${name} cannot be reached (${causeOf(thrown)})`, again: true };
  }
}

/** Only the system's error code: messages may repeat the URL. */
export function causeOf(thrown: unknown): string {
  const { code, cause } = thrown as { code?: unknown; cause?: { code?: unknown } };
  return [code, cause?.code].find((each) => typeof each === 'string') ?? 'unknown cause';
}

/** Sends one message once. It may arrive although this reports a failure. */
export const notifyReceiver = (
  receiver: NotifyConfig,
  message: Notification,
  signal?: AbortSignal,
): Promise<NotNotified | undefined> =>
  'command' in receiver ? runCommand(receiver, message, signal) : postWebhook(receiver, message, signal);
