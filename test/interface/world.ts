import type { RequestLogEntry } from '../../src/simulator/request-log';
import type { Deployment } from '../../src/simulator/options';
import { start, stopAll } from '../simulator/harness';
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
    const site = new Site(await start({ name, version, deployment, jobPolls: 0 }));
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

  close = stopAll;
}
