import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { childEnvironment } from './child-environment';

const run = promisify(execFile);

const LIMIT_MS = 10 * 60_000;
/** Four times what an archive has. @format bytes */
const ARCHIVE_BYTES_MAX = 256 * 1024 ** 2;

export interface Release {
  readonly version: string;
  /** sha256 of an archive, by what it is for, such as `linux_amd64`: no other is taken. */
  readonly sums: Readonly<Record<string, string>>;
  /** Address of the folder in which the archives lie. */
  readonly address: string;
  /** What to download for. @default this machine */
  readonly platform?: string;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
}

/** This machine, in the words of the archives' names. */
const thisPlatform = (): string => `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;

/**
 * Downloads a release of the Temporal CLI. It is unpacked once its archive is seen to be the one whose sum is recorded,
 * and not run.
 * @param folder is empty
 * @returns path of the executable
 */
export async function downloadRelease(
  folder: string,
  { version, sums, address, platform = thisPlatform(), env }: Release,
): Promise<string> {
  const expected = sums[platform];
  if (expected === undefined) throw new Error(`no checksum is recorded for ${platform}`);
  const name = `temporal_cli_${version}_${platform}.tar.gz`;
  const archive = path.join(folder, name);
  const seen = await save(`${address}/${name}`, archive);
  if (seen !== expected) throw new Error(`${name} has sha256 ${seen}, not ${expected}; it was not unpacked`);
  await run('tar', ['-xzf', archive, '-C', folder, 'temporal'], { env: childEnvironment('look', env) });
  return path.join(folder, 'temporal');
}

/**
 * Follows redirects, by the proxies of the environment.
 * @returns the sha256 of what was saved
 */
async function save(url: string, file: string): Promise<string> {
  const dispatcher = new EnvHttpProxyAgent();
  const sum = createHash('sha256');
  let bytes = 0;
  try {
    const answer = await fetch(url, { dispatcher, signal: AbortSignal.timeout(LIMIT_MS) });
    if (!answer.ok || answer.body === null) throw new Error(`${url} returned HTTP ${answer.status}`);
    const summed = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > ARCHIVE_BYTES_MAX) throw new Error(`${url} is longer than ${ARCHIVE_BYTES_MAX} bytes`);
        sum.update(chunk);
        yield chunk;
      }
    };
    await pipeline(answer.body, summed, createWriteStream(file, { mode: 0o600 }));
    return sum.digest('hex');
  } catch (thrown) {
    const { cause } = thrown as { cause?: unknown };
    throw cause instanceof Error ? new Error(`${url} cannot be reached (${cause.message})`) : thrown;
  } finally {
    await dispatcher.destroy();
  }
}
