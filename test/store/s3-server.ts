import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { request } from 'undici';

/** The version that `npm run test:s3` builds. */
export const S3_SERVER_VERSION = '1.8.0';

const executable = path.join(
  process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'),
  'portolan',
  `versitygw-${S3_SERVER_VERSION}`,
  'versitygw',
);

/** Whether there is a server to test with; else what to type. */
export function s3ServerMissing(): string | undefined {
  try {
    accessSync(executable, constants.X_OK);
    return undefined;
  } catch {
    return `no S3 server is built on this machine; type: npm run test:s3`;
  }
}

// The tests' own client says on stderr when it will leave this version of Node.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** Below what systems give out to whoever asks for any port. */
const PORTS = [11_000, 14_900] as const;

/** A real S3 server on a folder of its own, with credentials of its own. */
export class S3Server {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly endpoint: string,
    readonly accessKeyId: string,
    readonly secretAccessKey: string,
  ) {}

  static async start(): Promise<S3Server> {
    for (let attempt = 1; ; attempt += 1) {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-s3-'));
      const port = randomInt(...PORTS);
      const access = `test${randomBytes(4).toString('hex')}`;
      const secret = randomBytes(16).toString('hex');
      const args = ['--access', access, '--secret', secret, '--port', `127.0.0.1:${port}`];
      const child = spawn(executable, [...args, '--quiet', '--keep-alive', 'posix', folder], {
        stdio: 'ignore',
      });
      const server = new S3Server(child, folder, `http://127.0.0.1:${port}`, access, secret);
      if (await server.answers()) return server;
      await server.stop();
      if (attempt === 5) throw new Error(`${executable} does not start`);
    }
  }

  async makeBucket(): Promise<string> {
    const Bucket = `portolan-${randomBytes(6).toString('hex')}`;
    await this.with((client) => client.send(new CreateBucketCommand({ Bucket })));
    return Bucket;
  }

  /** Keys of uploads that were begun and neither completed nor ended. */
  async begunUploads(Bucket: string): Promise<string[]> {
    const page = await this.with((client) => client.send(new ListMultipartUploadsCommand({ Bucket })));
    return (page.Uploads ?? []).map(({ Key }) => Key ?? '');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async with<T>(work: (client: S3Client) => Promise<T>): Promise<T> {
    const { endpoint, accessKeyId, secretAccessKey } = this;
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  }

  private async answers(): Promise<boolean> {
    while (this.child.exitCode === null) {
      const answer = await request(this.endpoint).catch(() => undefined);
      await answer?.body.dump();
      if (answer) return true;
      await sleep(20);
    }
    return false;
  }
}
