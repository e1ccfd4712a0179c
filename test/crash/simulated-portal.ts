import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FaultPlan } from '../../src/simulator/faults';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import { until } from './until';
import { Portolan } from '../cli/child';

/** How a portal behaves until it is started again. */
export interface Play {
  /** Look-ups that find a job still running. @default 0 */
  readonly jobPolls?: number;
  readonly faults?: FaultPlan;
}

/** `portolan simulate` as a process of its own. Started again, it has its address and its state. */
export class SimulatedPortal {
  private portal: Portolan | undefined;
  url = '';

  constructor(
    readonly name: string,
    private readonly version: string,
    private readonly seed: string,
    private readonly folder: string,
  ) {}

  async start({ jobPolls = 0, faults }: Play = {}): Promise<void> {
    const plan = path.join(this.folder, `${this.name}-faults.json`);
    if (faults) writeFileSync(plan, JSON.stringify(faults));
    const options = {
      port: 0,
      name: this.name,
      version: this.version,
      state: this.state,
      seed: this.seed,
      'job-polls': jobPolls,
      ...(faults && { faults: plan }),
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.portal = new Portolan(['simulate', ...args], { cwd: this.folder });
    await this.portal.says('ready ');
    this.url = /^ready (\S+)/.exec(this.portal.stdout)?.[1] ?? '';
  }

  async kill(): Promise<void> {
    this.portal?.child.kill('SIGKILL');
    await this.portal?.ended;
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
    const token = await this.ask<{ token: string }>('generateToken', {
      username: 'admin',
      password: 'admin-pw',
      client: 'referer',
      referer: 'http://localhost',
    });
    const listing = await this.ask<{ items: { title: string; type: string }[] }>('content/users/owner', {
      num: '100',
      token: token.token,
    });
    return listing.items.filter(({ type }) => type === 'Export Package').map(({ title }) => title);
  }

  private async ask<T>(resource: string, fields: Record<string, string>): Promise<T> {
    const answer = await fetch(`${this.url}/${resource}`, {
      method: 'POST',
      headers: { referer: 'http://localhost' },
      body: new URLSearchParams({ f: 'json', ...fields }),
    });
    return (await answer.json()) as T;
  }

  private get state(): string {
    return path.join(this.folder, this.name);
  }
}
