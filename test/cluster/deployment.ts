import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Agent, request } from 'undici';
import { parse, stringify } from 'yaml';
import { type RunRecord, runRecord } from '../../src/model/run/run';
import { hashOfKey } from '../../src/serve/access';
import { keys } from '../../src/store/keys';
import { freePorts } from '../../src/temporal/dev-server/address';
import { type Group, hex, plant } from './groups';
import { S3Server } from '../store/s3/s3-server';
import { type S3Site, s3Site } from '../store/s3/s3-site';
import { type ChildOptions, portolan, Portolan } from '../support/child';
import { type Distance, FarLine } from '../support/far-line';
import { Site, type SiteOptions } from '../support/site';
import { rest, until } from '../support/until';
import { clockAt } from './clocks';
import { Cluster } from './cluster';

const key = 'planted-key-of-a-cluster';

/** Task queues by the files that name them: of each, runs are started, worked on and listed by itself. */
const files = { first: 'portolan.yaml', second: 'second.yaml' } as const;
export type Queue = keyof typeof files;

/** A program of Portolan that is killed with -9 and started again. */
export class Program {
  private running: Portolan | undefined;

  /** @param says what it writes once it works */
  constructor(
    readonly name: string,
    private readonly args: readonly string[],
    private readonly says: string,
    private readonly options: ChildOptions,
  ) {}

  async start(): Promise<void> {
    this.running = new Portolan(this.args, this.options);
    await this.running.says(this.says);
  }

  async kill(): Promise<void> {
    this.running?.child.kill('SIGKILL');
    await this.running?.ended;
  }
}

export interface DeploymentOptions {
  /** Groups, each with a route `group-N` of its own; a pipeline `roads` promotes one more. */
  readonly groups: number;
  readonly source?: SiteOptions['source'];
  readonly target?: SiteOptions['target'];
  /** `temporal.encryption`. @default none */
  readonly encryption?: SiteOptions['encryption'];
  /** How far all that is Portolan's is from its Temporal server. @default on this machine */
  readonly far?: Distance;
  /** By how many hours the clock of each is ahead, or behind. @default none */
  readonly clocks?: { readonly workers: readonly number[]; readonly servers: readonly number[] };
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Portolan as a team has it: a production Temporal server, a bucket, three workers on two task queues, and two servers
 * with a certificate, each a process of its own. Groups with an even number are of the first queue.
 */
export class Deployment {
  readonly groups: Group[] = [];
  /** What the pipeline promotes. */
  readonly promoted: Group;

  private constructor(
    readonly cluster: Cluster,
    private readonly s3: S3Server,
    readonly bucket: S3Site,
    readonly site: Site,
    /** Where the Temporal server is far away. */
    readonly line: FarLine | undefined,
    readonly workers: readonly Program[],
    readonly servers: readonly Program[],
    private readonly urls: readonly string[],
    private readonly agent: Agent,
    { groups }: DeploymentOptions,
  ) {
    const { source, target } = site;
    for (let number = 0; number < groups; number += 1) this.groups.push(plant(number, source, target));
    this.promoted = plant(groups, source, target);
  }

  static async open(options: DeploymentOptions): Promise<Deployment> {
    const cluster = await Cluster.start();
    Object.assign(process.env, cluster.variables);
    const s3 = await S3Server.start();
    const bucket = await s3Site(s3);
    const [one = 0, other = 0] = await freePorts(2);
    const route = (number: number): object => ({
      source: { portal: 'staging', group: hex('a', number) },
      target: { portal: 'production', group: hex('b', number) },
      approval: 'none',
      overwrite: true,
    });
    const numbers = Array.from({ length: options.groups }, (_, number) => number);
    const serve = {
      address: `127.0.0.1:${one}`,
      tls: cluster.authority.issue('serve'),
      keys: { all: { sha256: hashOfKey(key), rights: ['start', 'approve', 'operate'] } },
    };
    const promoted = options.groups;
    const line = options.far && (await FarLine.to(cluster.address, options.far));
    const site = await Site.open({
      temporal: line?.address ?? cluster.address,
      worker: false,
      listed: true,
      source: options.source,
      target: options.target,
      encryption: options.encryption,
      config: {
        store: bucket.store,
        routes: Object.fromEntries(numbers.map((number) => [`group-${number}`, route(number)])),
        pipelines: {
          roads: {
            groups: ['roads'],
            stages: {
              dev: { portal: 'staging', groups: { roads: hex('a', promoted) } },
              live: { portal: 'production', groups: { roads: hex('b', promoted) } },
            },
          },
        },
        serve,
      },
    });
    const { folder } = site;
    const config = parse(readFileSync(path.join(folder, files.first), 'utf8')) as {
      temporal: { taskQueue: string };
    };
    const write = (name: string, more: object): void =>
      writeFileSync(path.join(folder, name), stringify({ ...config, ...more }));
    write('beside.yaml', { serve: { ...serve, address: `127.0.0.1:${other}` } });
    const { temporal } = config;
    write(files.second, { temporal: { ...temporal, taskQueue: `${temporal.taskQueue}-second` } });
    const optionsAt = (hours = 0): ChildOptions => ({ cwd: folder, env: hours === 0 ? {} : clockAt(hours) });
    const workers = [
      ['a worker of the first queue', files.first],
      ['the other worker of the first queue', files.first],
      ['the worker of the second queue', files.second],
    ] as const;
    const servers = [
      ['serve', files.first],
      ['the other serve', 'beside.yaml'],
    ] as const;
    const deployment = new Deployment(
      ...([cluster, s3, bucket, site, line] as const),
      workers.map(([name, file], index) => {
        const args = ['worker', '--config', file];
        return new Program(name, args, ' polls ', optionsAt(options.clocks?.workers[index]));
      }),
      servers.map(([name, file], index) => {
        const args = ['serve', '--config', file];
        return new Program(name, args, 'serving at', optionsAt(options.clocks?.servers[index]));
      }),
      [one, other].map((port) => `https://localhost:${port}`),
      new Agent({ connect: { ca: readFileSync(cluster.authority.certificate) } }),
      options,
    );
    await Promise.all([...deployment.workers, ...deployment.servers].map((program) => program.start()));
    return deployment;
  }

  /** What a server answers. @param which of the two @throws where it does not */
  async ask(where: string, which = 0, body?: object, once?: string): Promise<Answer> {
    const answer = await request(`${this.urls[which]}${where}`, {
      dispatcher: this.agent,
      method: body ? 'POST' : 'GET',
      body: body && JSON.stringify(body),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(once !== undefined && { 'idempotency-key': once }),
      },
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  /** The same for somebody whom nobody knows. */
  async askWithoutKey(where: string, which = 0): Promise<Answer> {
    const answer = await request(`${this.urls[which]}${where}`, { dispatcher: this.agent });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  /** Has a server begin a run, the other one where one does not answer, until one of them has. @returns the run's id */
  async begin(what: string, body: object, once: string): Promise<string> {
    let tries = 0;
    const { text } = await until(
      `${what} to begin`,
      () => this.ask(`/api/v1/${what}`, (tries += 1) % this.urls.length, body, once),
      ({ status }) => status === 200 || status === 202,
    );
    return (JSON.parse(text) as { runId: string }).runId;
  }

  /** Types a command that begins a run, again until it has. @returns the run's id */
  async type(queue: Queue, once: string, ...args: string[]): Promise<string> {
    const words = [...args, '--no-wait', '-o', 'json', '--request-id', once, '--config', files[queue]];
    const { stdout } = await until(
      `portolan ${args.join(' ')}`,
      () => portolan(words, { cwd: this.site.folder }),
      ({ status }) => status === 0,
    );
    return (JSON.parse(stdout) as RunRecord).runId;
  }

  /** Syncs a group, on the queue of its number. @returns the run's id */
  sync({ route }: Group, once: string): Promise<string> {
    const isFirst = Number(route.split('-')[1]) % 2 === 0;
    return isFirst ? this.begin('syncs', { route }, once) : this.type('second', once, 'sync', route);
  }

  /** The record of a run that is over, however long that takes. @throws where it is parked, and waits for somebody */
  async ended(runId: string): Promise<RunRecord> {
    for (let looks = 0; ; await rest(looks++)) {
      const record = await this.site.store.readJson(keys.record(runId), runRecord);
      if (record?.status === 'parked') throw new Error(`${runId} is parked: ${record.parked?.reason ?? ''}`);
      if (record?.finishedAt !== undefined) return record;
    }
  }

  /** What only runs under way need: packages on portals and in the bucket, and uploads into it that nobody has ended. */
  async left(): Promise<string[]> {
    const { store } = this.site;
    const inStore = await store.names(keys.packages);
    return [...this.site.packages(), ...inStore, ...(await this.bucket.begun())];
  }

  async close(): Promise<void> {
    await Promise.all([...this.workers, ...this.servers].map((program) => program.kill()));
    await this.agent.close();
    await this.site.close();
    await this.line?.close();
    await this.s3.stop();
    await this.cluster.stop();
  }
}
