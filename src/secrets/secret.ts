import { onlyVariables, openVariables } from '../model/open-variables';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect, promisify } from 'node:util';
import { PortolanError } from '../model/errors/errors';

/** Environment variables that hold secrets of portolan.yaml. */
const secretVariables = new Set<string>();

/** Records that a variable holds a secret; programs no longer receive it. */
const noteSecretVariable = (name: string): void => {
  secretVariables.add(name);
};

/** Variables that hold keys of Portolan, Temporal's client and the trace exporter. */
const ownSettings = /^(PORTOLAN|TEMPORAL|OTEL)_/;

/**
 * The environment of a program that portolan.yaml names: the open variables, and those passed on purpose.
 * @param told what it is started for
 */
export const programEnvironment = (told: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...onlyVariables(openVariables, process.env),
  ...told,
});

/**
 * The environment of a program that prints a secret. It may sign in with variables unknown to Portolan, such as
 * `VAULT_ADDR`, so it receives everything except Portolan's own secrets and keys.
 */
const secretProgramEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !secretVariables.has(name) && !ownSettings.test(name)),
  );

/** Where to find a secret. */
export type SecretReference =
  /** In portolan.yaml itself; allowed for webhook URLs only. */
  | { readonly text: string }
  | { readonly env: string }
  | { readonly file: string }
  /** Program and arguments; what it prints on stdout is the secret. */
  | { readonly command: readonly string[] }
  /** File of a key that Portolan creates when it is first read. */
  | { readonly created: string };

/** How long a value is reused, so that a rotated secret takes effect soon. */
const cachedForMs = 60_000;

/** Time limit of a command, long enough for a password manager that asks a person. */
const commandTimeoutMs = 30_000;

const run = promisify(execFile);

/** A secret that is read when it is used, and only there. Printed, logged or serialized it is `***`. */
export class Secret {
  #value: Promise<string> | undefined;
  #readAt = 0;
  readonly #reference: SecretReference;
  private label = '';
  private folder = '';

  constructor(reference: SecretReference) {
    this.#reference = reference;
    if ('env' in reference) noteSecretVariable(reference.env);
  }

  /**
   * @param label its place in portolan.yaml, for errors
   * @param folder folder that relative file names are seen from
   */
  locate(label: string, folder: string): this {
    this.label = label;
    this.folder = folder;
    return this;
  }

  /** It is written in portolan.yaml itself. */
  get isInline(): boolean {
    return 'text' in this.#reference;
  }

  /** File of a key that Portolan creates. */
  get createdFile(): string | undefined {
    return 'created' in this.#reference ? path.resolve(this.folder, this.#reference.created) : undefined;
  }

  /** Its source, for people; never the secret. */
  get source(): string {
    const reference = this.#reference;
    if ('text' in reference) return 'the text in portolan.yaml';
    if ('env' in reference) return `environment variable ${reference.env}`;
    if ('file' in reference) return `file ${reference.file}`;
    if ('created' in reference) return `file ${this.createdFile}`;
    return `command ${reference.command[0] ?? ''}`;
  }

  /** Like `read`, but undefined for a key that has not been created yet. */
  async find(): Promise<string | undefined> {
    return await (this.createdFile === undefined ? this.read() : readIfThere(this.createdFile));
  }

  /** The secret. Throws `SECRET_UNREADABLE`. */
  async read(): Promise<string> {
    // Another process may have created the key meanwhile.
    if (this.createdFile !== undefined) return await this.#resolve();
    if (this.#value === undefined || Date.now() - this.#readAt > cachedForMs) {
      this.#readAt = Date.now();
      const reading = this.#resolve();
      this.#value = reading;
      reading.catch(() => {
        if (this.#value === reading) this.#value = undefined;
      });
    }
    return this.#value;
  }

  toJSON(): string {
    return '***';
  }

  toString(): string {
    return '***';
  }

  [inspect.custom](): string {
    return '***';
  }

  async #resolve(): Promise<string> {
    const value = (await this.#fetch()).replace(/\r?\n$/, '');
    if (value === '') throw this.#unreadable('is empty');
    return value;
  }

  async #fetch(): Promise<string> {
    const reference = this.#reference;
    if ('text' in reference) return reference.text;
    if ('env' in reference) {
      const value = process.env[reference.env];
      if (value === undefined) throw this.#unreadable('is not set');
      return value;
    }
    if (!('command' in reference)) {
      try {
        if ('created' in reference) return await readOrCreate(path.resolve(this.folder, reference.created));
        return await readFile(path.resolve(this.folder, reference.file), 'utf8');
      } catch (thrown) {
        throw this.#unreadable(`cannot be read (${causeOf(thrown)})`);
      }
    }
    const [program = '', ...args] = reference.command;
    try {
      const options = { cwd: this.folder, timeout: commandTimeoutMs, env: secretProgramEnvironment() };
      return (await run(program, args, { ...options, encoding: 'utf8' })).stdout;
    } catch (thrown) {
      throw this.#unreadable(`returned no secret (${causeOf(thrown)})`);
    }
  }

  #unreadable(what: string): PortolanError {
    return new PortolanError('SECRET_UNREADABLE', `${this.label}: ${this.source} ${what}.`);
  }
}

/**
 * A short cause without command output or file content, which may hold the secret. For the same reason the thrown
 * error is not kept as a cause.
 */
function causeOf(thrown: unknown): string {
  const facts = thrown as { code?: string | number; killed?: boolean; signal?: string };
  if (facts.killed === true) return `no result within ${commandTimeoutMs / 1000} s`;
  if (typeof facts.code === 'number') return `exit status ${facts.code}`;
  return facts.code ?? facts.signal ?? 'unknown cause';
}

/** The key in a file that only its owner can read; undefined if there is no file. */
async function readIfThere(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text?.trim();
}

/** The key in a file, created on first use. */
async function readOrCreate(file: string): Promise<string> {
  const there = await readIfThere(file);
  if (there !== undefined) return there;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // If several processes create one, the first one wins.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

/** Shorter ones can be guessed. @format characters */
export const KEY_LENGTH_MIN = 32;

/**
 * Reads a secret as a key. Throws SECRET_UNREADABLE, and CONFIG_INVALID if it is too short.
 * @param what for messages
 */
export async function readKey(secret: Secret, what: string): Promise<Buffer> {
  const text = await secret.read();
  if (text.length >= KEY_LENGTH_MIN) return Buffer.from(text);
  throw new PortolanError(
    'CONFIG_INVALID',
    `The ${what} from ${secret.source} has ${text.length} characters; at least ${KEY_LENGTH_MIN} are needed.`,
    { hint: 'Create one: openssl rand -hex 32' },
  );
}
