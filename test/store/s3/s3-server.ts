import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from '@jest/globals';
import { request } from 'undici';

/** The version that scripts/test-s3.mjs builds. */
const VERSION = '1.8.0';

const executable = path.join(
  process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'),
  'portolan',
  `versitygw-${VERSION}`,
  'versitygw',
);

/** Who signs in at a server. */
export interface S3Account {
  accessKeyId: string;
  secretAccessKey: string;
}

// The tests' own client says on stderr when it will leave this version of Node.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** Below what systems give out to whoever asks for any port. */
const PORTS = [11_000, 14_900] as const;

/** A real S3 server on a folder of its own, with credentials of its own. */
export class S3Server {
  private constructor(
    private child: ChildProcess,
    private folder: string,
    readonly endpoint: string,
    /** May do everything. */
    readonly root: S3Account,
  ) {}

  /** @throws Error that says what to type where no server is built */
  static async start() {
    if (!existsSync(executable))
      throw new Error('no S3 server is built on this machine; type: npm run test:s3');
    for (let attempt = 1; ; attempt += 1) {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-s3-'));
      const [accounts = '', buckets = ''] = ['accounts', 'buckets'].map((name) => path.join(folder, name));
      for (const each of [accounts, buckets]) mkdirSync(each);
      const port = randomInt(...PORTS);
      const root = newAccount();
      const who = ['--access', root.accessKeyId, '--secret', root.secretAccessKey];
      const how = ['--port', `127.0.0.1:${port}`, '--iam-dir', accounts, '--quiet', '--keep-alive'];
      const child = spawn(executable, [...who, ...how, 'posix', buckets], { stdio: 'ignore' });
      const server = new S3Server(child, folder, `http://127.0.0.1:${port}`, root);
      if (await server.answers()) return server;
      await server.stop();
      if (attempt === 5) throw new Error(`${executable} does not start`);
    }
  }

  async makeBucket() {
    const Bucket = `portolan-${randomBytes(6).toString('hex')}`;
    await this.with((client) => client.send(new CreateBucketCommand({ Bucket })));
    return Bucket;
  }

  /** An account that may do these things in a bucket, such as `s3:GetObject`, and nothing else. */
  async makeAccount(Bucket: string, ...rights: string[]) {
    const { root, endpoint } = this;
    const account = newAccount();
    const as = ['--access', root.accessKeyId, '--secret', root.secretAccessKey, '--endpoint-url', endpoint];
    const whom = ['--access', account.accessKeyId, '--secret', account.secretAccessKey, '--role', 'user'];
    await promisify(execFile)(executable, ['admin', ...as, 'create-user', ...whom]);
    const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
    const statement = (Action: string) => ({
      Effect: 'Allow',
      Principal: { AWS: [account.accessKeyId] },
      Action,
      Resource: /Bucket/.test(Action) ? Resource[0] : Resource[1],
    });
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: rights.map(statement) });
    if (rights.length > 0) {
      await this.with((client) => client.send(new PutBucketPolicyCommand({ Bucket, Policy })));
    }
    return account;
  }

  /** Keys of uploads that were begun and neither completed nor ended. */
  async begunUploads(Bucket: string) {
    const { Uploads = [] } = await this.with((client) =>
      client.send(new ListMultipartUploadsCommand({ Bucket })),
    );
    return Uploads.map(({ Key }) => Key ?? '');
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async with<T>(work: (client: S3Client) => Promise<T>) {
    const { endpoint, root: credentials } = this;
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  }

  private async answers() {
    while (this.child.exitCode === null) {
      const answer = await request(this.endpoint).catch(() => undefined);
      await answer?.body.dump();
      if (answer) return true;
      await sleep(20);
    }
    return false;
  }
}

/** A server during the tests of a suite. */
export function serverOfSuite() {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server?.stop());
  return () => server;
}

const newAccount = (): S3Account => ({
  accessKeyId: `test${randomBytes(4).toString('hex')}`,
  secretAccessKey: randomBytes(16).toString('hex'),
});
