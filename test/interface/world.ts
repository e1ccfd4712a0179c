import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { Deployment } from '../../src/simulator/options';
import { startSimulator } from '../../src/simulator/simulator';
import { Site } from './site';

/** Which portal: its release, and where there are two of one release, a name. */
interface Which {
  readonly version?: string;
  readonly deployment?: Deployment;
  readonly name?: string;
}

/** How far the logs of all portals had come. */
export type Mark = ReadonlyMap<Site, number>;

/** The simulated portals that all rows share; each is started when a row first asks for it. */
export class World {
  readonly #sites = new Map<string, Promise<Site>>();
  readonly #started: Site[] = [];
  #folder: Promise<string> | undefined;

  /** A self-managed portal of this release. */
  at(version = '11.2'): Promise<Site> {
    return this.#site({ version });
  }

  /** A second portal of this release, to import into. */
  receiving(version = '11.2'): Promise<Site> {
    return this.#site({ version, name: 'receiving' });
  }

  /** The hosted deployment. */
  hosted(): Promise<Site> {
    return this.#site({ deployment: 'hosted' });
  }

  #site({ version = '11.2', deployment = 'self-managed', name = 'portal' }: Which): Promise<Site> {
    const key = `${name}-${deployment}-${version}`;
    const known = this.#sites.get(key) ?? this.#start(key, version, deployment);
    this.#sites.set(key, known);
    return known;
  }

  async #start(name: string, version: string, deployment: Deployment): Promise<Site> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'interface-'));
    const simulator = await startSimulator({
      name,
      version,
      deployment,
      state: join(await this.#folder, name),
      jobPolls: 0,
      searchLagMs: 0,
      commitLagMs: 0,
    });
    const site = new Site(simulator);
    this.#started.push(site);
    return site;
  }

  mark(): Mark {
    return new Map(this.#started.map((site) => [site, site.simulator.requests().length]));
  }

  /** What the portals have answered since. */
  since(mark: Mark): RequestLogEntry[] {
    return this.#started.flatMap((site) => site.simulator.requests().slice(mark.get(site) ?? 0));
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((site) => site.close()));
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }
}
