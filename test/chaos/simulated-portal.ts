import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import { until } from './until';
import { Portolan } from '../support/child';
import { freeServerPort } from '../support/free-port';

/** How a portal behaves. */
export interface Play {
  /** Look-ups that find a job still running. @default 0 */
  readonly jobPolls?: number;
  /** Items with which an import fails as a whole. */
  readonly failing?: readonly string[];
}

/** What a user has in a folder, as far as it is looked at. */
interface Owned {
  readonly items: readonly {
    readonly id: string;
    readonly type: string;
    readonly title: string;
    readonly tags: readonly string[];
    readonly ownerFolder: string | null;
  }[];
  readonly folders: readonly { readonly id: string; readonly title: string }[];
}

/**
 * `portolan simulate` as a process of its own. Started again, it has its address and its state: on a port that nobody
 * is given who asks for any while it is down.
 */
export class SimulatedPortal {
  private portal: Portolan | undefined;
  private port: number | undefined;
  url = '';

  constructor(
    readonly name: string,
    private readonly version: string,
    private readonly seed: string,
    private readonly folder: string,
    private readonly play: Play = {},
  ) {}

  async start(): Promise<void> {
    this.port ??= await freeServerPort();
    const options = {
      port: this.port,
      name: this.name,
      version: this.version,
      state: this.state,
      seed: this.seed,
      'job-polls': this.play.jobPolls ?? 0,
      ...(this.play.failing && { failing: this.play.failing.join() }),
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.portal = new Portolan(['simulate', ...args], { cwd: this.folder });
    await this.portal.says('ready ');
    this.url = /^ready (\S+)/.exec(this.portal.stdout)?.[1] ?? '';
  }

  /** `kill -9`; it is not waited for. */
  strike(): void {
    this.portal?.child.kill('SIGKILL');
  }

  async kill(): Promise<void> {
    this.strike();
    await this.portal?.ended;
  }

  /** Comes back at its address, once what was killed is gone. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Every request that the portal was asked, also before it was killed. */
  requests(operation?: string): RequestLogEntry[] {
    const log = path.join(this.state, 'requests.ndjson');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RequestLogEntry);
    return operation === undefined ? entries : entries.filter((entry) => entry.operation === operation);
  }

  /** Resolves when it was asked this so often. */
  async isAsked(operation: string, times = 1): Promise<void> {
    await until(() => this.requests(operation).length >= times);
  }

  /** Imports that were asked for; a preview goes the same way and is none. */
  importsPosted(): RequestLogEntry[] {
    return this.requests('group.import').filter(({ params }) => params['previewOnly'] !== 'true');
  }

  /** Titles of the packages that lie on it, as its administrator sees them. */
  async packages(): Promise<string[]> {
    const { items } = await this.ask<{ items: { title: string; type: string }[] }>('content/users/owner', {
      num: '100',
    });
    return items.filter(({ type }) => type === 'Export Package').map(({ title }) => title);
  }

  /** Whatever its owner has on it, a line for each item with its data, and for each folder. */
  async contents(): Promise<string[]> {
    const { items, folders } = await this.ask<Owned>('content/users/owner', { num: '100' });
    const lines = folders.map(({ title }) => `folder ${title}`);
    const inFolders = folders.map(({ id }) => this.ask<Owned>(`content/users/owner/${id}`, { num: '100' }));
    for (const item of [...items, ...(await Promise.all(inFolders)).flatMap((each) => each.items)]) {
      const { id, type, title, tags, ownerFolder } = item;
      lines.push([id, type, title, tags.join(), ownerFolder ?? '', await this.hashOf(id)].join(' '));
    }
    return lines.sort();
  }

  /** Somebody deletes an item. */
  async drop(itemId: string): Promise<void> {
    const answer = await this.ask<{ success?: boolean }>(`content/users/owner/items/${itemId}/delete`, {
      permanentDelete: 'true',
    });
    if (answer.success !== true) throw new Error(`${itemId} was not deleted: ${JSON.stringify(answer)}`);
  }

  /** The sha256 of an item's data. */
  async hashOf(itemId: string): Promise<string> {
    const hash = createHash('sha256');
    const answer = await this.post(`content/items/${itemId}/data`, {});
    for await (const chunk of answer.body ?? []) hash.update(chunk as Uint8Array);
    return hash.digest('hex');
  }

  /** Somebody writes something else into an item. */
  async write(itemId: string, text: string): Promise<void> {
    await this.update(itemId, { text });
  }

  /** Somebody describes an item anew, whose data stays. */
  async describe(itemId: string, snippet: string): Promise<void> {
    await this.update(itemId, { snippet });
  }

  private async update(itemId: string, fields: Record<string, string>): Promise<void> {
    const answer = await this.ask<{ success?: boolean }>(
      `content/users/owner/items/${itemId}/update`,
      fields,
    );
    if (answer.success !== true) throw new Error(`${itemId} was not changed: ${JSON.stringify(answer)}`);
  }

  private async ask<T>(resource: string, fields: Record<string, string>): Promise<T> {
    return (await (await this.post(resource, fields)).json()) as T;
  }

  private async post(resource: string, fields: Record<string, string>): Promise<Response> {
    const send = (to: string, body: Record<string, string>): Promise<Response> =>
      fetch(`${this.url}/${to}`, {
        method: 'POST',
        headers: { referer: 'http://localhost' },
        body: new URLSearchParams({ f: 'json', ...body }),
      });
    const signedIn = await send('generateToken', {
      username: 'admin',
      password: 'admin-pw',
      client: 'referer',
      referer: 'http://localhost',
    });
    const { token } = (await signedIn.json()) as { token: string };
    return await send(resource, { ...fields, token });
  }

  private get state(): string {
    return path.join(this.folder, this.name);
  }
}
