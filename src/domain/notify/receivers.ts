import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { request } from 'undici';
import type { NotifyConfig } from '../../config/config';
import type { Notification } from '../../model/run/notification';
import type { NotNotified } from './message';
import { webhookUrlProblem } from '../../config/portal-url';
import { PortolanError } from '../../model/errors/errors';

/** A program that takes longer is ended, with everything that it started. */
const COMMAND_LIMIT_MS = 30_000;

type CommandReceiver = Extract<NotifyConfig, { command: unknown }>;

/**
 * Starts the program with the message as JSON on its standard input, and what is needed to choose among messages in
 * its environment. No shell is between, and what it prints is dropped, since that may hold a secret of its own.
 */
export async function runCommand(
  { command, folder, setting }: CommandReceiver,
  message: Notification,
  signal?: AbortSignal,
  limitMs = COMMAND_LIMIT_MS,
): Promise<NotNotified | undefined> {
  const [program, ...args] = command;
  const name = `${setting} (${path.basename(program)})`;
  const limit = AbortSignal.timeout(limitMs);
  const stop = signal === undefined ? limit : AbortSignal.any([limit, signal]);
  try {
    const { code, by } = await ended(spawnGroup(program, args, folder, message), stop);
    if (limit.aborted) return { problem: `${name} did not end within ${limitMs / 1000} s`, again: false };
    if (code === 0) return undefined;
    return {
      problem: `${name} ended with ${code === null ? `signal ${by ?? '?'}` : `exit status ${code}`}`,
      again: true,
    };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return { problem: `${name} cannot be started (${code ?? 'unknown cause'})`, again: false };
  }
}

/** The program in a process group of its own, so that it can be ended with everything that it started. */
function spawnGroup(
  program: string,
  args: readonly string[],
  cwd: string,
  message: Notification,
): ChildProcess {
  const { event, runId, route } = message;
  const child = spawn(program, args, {
    cwd,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, PORTOLAN_EVENT: event, PORTOLAN_RUN: runId, PORTOLAN_ROUTE: route },
  });
  // A program need not read what it is told.
  child.stdin?.on('error', () => {}).end(`${JSON.stringify(message)}\n`);
  return child;
}

interface Ending {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

async function ended(child: ChildProcess, stop: AbortSignal): Promise<Ending> {
  const end = (): void => killGroup(child);
  stop.addEventListener('abort', end, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, by) => resolve({ code, by }));
    });
  } finally {
    stop.removeEventListener('abort', end);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

/** A receiver that has not answered by then is taken for gone. */
const WEBHOOK_LIMIT_MS = 10_000;

type WebhookReceiver = Extract<NotifyConfig, { webhook: unknown }>;

/** Answers after which the same message may be taken a moment later. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * Posts the message as JSON. Redirects are not followed: the message goes to the configured host and to no other.
 * Of its address only the host is ever told, since path and query are what lets anybody write there.
 */
export async function postWebhook(
  { webhook, insecure, setting }: WebhookReceiver,
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
  if (unfit !== undefined) return { problem: `${setting}.webhook: ${unfit}`, again: false };
  const name = `${setting} (${new URL(url).host})`;
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

/** Sends one message to one receiver, once. It may arrive although it is said here that it did not. */
export const notifyReceiver = (
  receiver: NotifyConfig,
  message: Notification,
  signal?: AbortSignal,
): Promise<NotNotified | undefined> =>
  'command' in receiver ? runCommand(receiver, message, signal) : postWebhook(receiver, message, signal);
