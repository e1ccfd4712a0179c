import path from 'node:path';
import { request } from 'undici';
import type { NotifyConfig } from '../../config/config';
import { signedHeaders, webhookId } from '../hook/signatures';
import { formats } from './formats';
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
 * Posts the message in the receiver's format, signed where it has secrets. Redirects are not followed: the message goes to the configured host and to no other.
 * Of its address only the host is ever told, since path and query are what lets anybody write there.
 */
export async function postWebhook(
  { webhook, secret: secrets, insecure, format, setting }: WebhookReceiver,
  message: Notification,
  signal?: AbortSignal,
  limitMs = WEBHOOK_LIMIT_MS,
): Promise<NotNotified | undefined> {
  let address: string;
  try {
    address = await webhook.read();
  } catch (thrown) {
    return { problem: PortolanError.from(thrown).plainMessage, again: false };
  }
  const unfit = webhookUrlProblem(address, insecure);
  if (unfit !== undefined) return { problem: `${setting}.webhook: ${unfit}`, again: false };
  const { url, type, body: payload } = formats[format](message, address);
  let signatures = {};
  try {
    // Signed for each attempt: receivers refuse old signatures.
    if (secrets.length > 0) signatures = await signedHeaders(secrets, webhookId(message.id), payload);
  } catch (thrown) {
    return { problem: PortolanError.from(thrown).plainMessage, again: false };
  }
  const name = `${setting} (${new URL(url).host})`;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': type, 'user-agent': 'portolan', ...signatures },
      body: payload,
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    if (statusCode < 200 || statusCode >= 300) {
      body.dump({ limit: ANSWER_MAX }).catch(() => {});
      return { problem: `${name} returned HTTP ${statusCode}`, again: mayPass(statusCode) };
    }
    if (format === 'healthchecks') return notPinged(name, await beginningOf(body));
    // The status decides; the body is not read.
    body.dump({ limit: ANSWER_MAX }).catch(() => {});
    return undefined;
  } catch (thrown) {
    if (limit.aborted)
      return { problem: `${name} did not respond within ${exactDuration(limitMs)}`, again: true };
    return { problem: `${name} cannot be reached (${causeOf(thrown)})`, again: true };
  }
}

/** The beginning of a response; what was read if the connection breaks. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  try {
    for await (const piece of body) {
      text += piece.toString('latin1');
      if (text.length > ANSWER_MAX) break;
    }
  } catch {
    // The status has already said that it was accepted.
  }
  return text;
}

/** Healthchecks returns 200 for pings it drops as well, and says so in the body. */
function notPinged(name: string, answer: string): NotNotified | undefined {
  if (answer.startsWith('OK (not found)')) return { problem: `${name} has no such check`, again: false };
  if (answer.startsWith('OK (rate limited)')) return { problem: `${name} limits pings`, again: true };
  return undefined;
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
