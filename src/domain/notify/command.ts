import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { NotifyConfig } from '../../config/config';
import type { Notification } from '../../model/run/notification';
import type { NotNotified } from './message';

/** A program that takes longer is ended, with everything that it started. */
export const COMMAND_LIMIT_MS = 30_000;

type CommandReceiver = Extract<NotifyConfig, { command: unknown }>;

/**
 * Starts the program with the message as JSON on its standard input, and what is needed to choose among messages in
 * its environment. No shell is between, and what it prints is dropped, since that may hold a secret of its own.
 */
export async function runCommand(
  { command, folder, place }: CommandReceiver,
  message: Notification,
  signal?: AbortSignal,
  limitMs = COMMAND_LIMIT_MS,
): Promise<NotNotified | undefined> {
  const [program, ...args] = command;
  const name = `${place} (${path.basename(program)})`;
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
