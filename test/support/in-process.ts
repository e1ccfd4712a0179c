import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { afterAll, beforeAll, jest } from '@jest/globals';
import { runProgram } from '../../src/cli/program';
import type { ChildOptions, Ended } from './child';
import { closeServers, endedThere, isViaServer, serverFor } from './via-server';

/** What one command has written so far, and the status that it set. */
interface Command {
  stdout: string;
  stderr: string;
  status: number;
  /** That it asks. @default as PORTOLAN_SERVER says, or none */
  readonly server?: string;
}

// It redraws lines of a terminal, which these commands have not, and is a module of the kind that jest cannot load.
jest.mock('log-update', () => ({}));

/** Where Node keeps them. */
interface Listeners {
  _events: unknown;
  _eventsCount: number;
}

const commands = new AsyncLocalStorage<Command>();
const undo: (() => void)[] = [];

function replace(object: object, key: string, replacement: PropertyDescriptor): void {
  const own = Object.getOwnPropertyDescriptor(object, key);
  Object.defineProperty(object, key, { ...replacement, configurable: true });
  undo.push(() => (own ? Object.defineProperty(object, key, own) : Reflect.deleteProperty(object, key)));
}

/** Which server a command asks is its own; all else is as it is for all. */
const variables: ProxyHandler<NodeJS.ProcessEnv> = {
  get: (env, name) => (name === 'PORTOLAN_SERVER' ? commands.getStore()?.server : env[String(name)]),
  set(env, name, value: string) {
    env[String(name)] = value;
    return true;
  },
};

beforeAll(() => {
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    const { write, isTTY } = stream;
    replace(stream, 'isTTY', { get: () => commands.getStore() === undefined && isTTY });
    replace(stream, 'write', {
      value(...written: Parameters<typeof write>): boolean {
        const command = commands.getStore();
        if (command === undefined) return write.apply(stream, written);
        command[name] += String(written[0]);
        return true;
      },
    });
  }
  const own = globalThis.process as NodeJS.Process & Listeners;
  replace(globalThis, 'process', {
    value: Object.create(own, {
      exitCode: {
        get: () => commands.getStore()?.status ?? own.exitCode,
        set: (status: number) => {
          const command = commands.getStore();
          if (command === undefined) own.exitCode = status;
          else command.status = status;
        },
      },
      // Node counts listeners where they are added or taken away, and where it counts to none forgets all there are.
      _events: { get: () => own._events, set: (events) => (own._events = events) },
      _eventsCount: { get: () => own._eventsCount, set: (count) => (own._eventsCount = count) },
      // Variables of a process take no accessors.
      ...(isViaServer && { env: { value: new Proxy(own.env, variables) } }),
    }),
  });
  process.env['NO_COLOR'] = '1';
});
afterAll(async () => {
  undo.splice(0).forEach((each) => each());
  await closeServers();
});

/**
 * Runs a command in this process and without a terminal, which takes a tenth of the work of one of its own. Several
 * may run at a time: each has streams and a status to itself. Its folder's portolan.yaml is read where the command
 * names none; that folder is one for the whole suite. With `npm run test:server` it asks a server that has read it.
 */
export async function inProcess(
  args: readonly string[],
  { cwd }: Partial<Pick<ChildOptions, 'cwd'>> = {},
): Promise<Ended> {
  if (cwd !== undefined) process.env['PORTOLAN_CONFIG'] = path.join(cwd, 'portolan.yaml');
  const asked = await serverFor(args, process.env['PORTOLAN_CONFIG'] ?? '');
  if (!asked) return await typed({ args });
  return await endedThere(asked, (server) =>
    typed(server === undefined ? { args } : { args: asked.args, server }),
  );
}

async function typed({ args, server }: Typed): Promise<Ended> {
  const command: Command = { stdout: '', stderr: '', status: 0, ...(server !== undefined && { server }) };
  await commands.run(command, () => runProgram(['node', 'portolan', ...args]));
  const { stdout, stderr, status } = command;
  return { stdout, stderr, status };
}

interface Typed {
  readonly args: readonly string[];
  /** That it asks. @default as PORTOLAN_SERVER says, or none */
  readonly server?: string;
}
