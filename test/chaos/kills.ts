import type { Site } from './site';

/** What is killed with SIGKILL, and how it comes back. */
export interface Kill {
  readonly of: string;
  /** Who works until then: `up`, or a separate worker that is the only one left. */
  readonly staff: 'up' | 'worker';
  /** Kills at once. */
  readonly strike: (site: Site) => void;
  /** Resolves when what was killed works again. */
  readonly bringBack: (site: Site) => Promise<void>;
}

const kill = (child: { kill(signal: 'SIGKILL'): boolean } | undefined): void => void child?.kill('SIGKILL');

export const theWorker: Kill = {
  of: 'worker',
  staff: 'worker',
  strike: ({ worker }) => kill(worker?.child),
  async bringBack(site) {
    await site.killWorker();
    await site.startWorker();
  },
};

export const theSource: Kill = {
  of: 'source portal',
  staff: 'worker',
  strike: ({ source }) => source.strike(),
  bringBack: ({ source }) => source.restart(),
};

export const theTarget: Kill = {
  of: 'target portal',
  staff: 'worker',
  strike: ({ target }) => target.strike(),
  bringBack: ({ target }) => target.restart(),
};

/** Its server goes on, and the next `up` takes it over. */
export const up: Kill = {
  of: 'up',
  staff: 'up',
  strike: (site) => kill(site.up?.child),
  async bringBack(site) {
    const server = site.serverPid();
    await site.killUp();
    const { stderr } = await site.startUp();
    if (site.serverPid() !== server || !stderr.includes('Took over the running Temporal server')) {
      throw new Error(`the server was not taken over:\n${stderr}`);
    }
  },
};

/** `up` brings it back. */
export const theServer: Kill = {
  of: 'Temporal server',
  staff: 'up',
  strike: (site) => site.killServer(),
  bringBack: (site) => site.serverIsBack(),
};

export const everything: Kill = {
  of: 'everything at once',
  staff: 'up',
  strike(site) {
    for (const process of [site.up, site.worker]) kill(process?.child);
    site.killServer();
    site.source.strike();
    site.target.strike();
  },
  async bringBack(site) {
    await Promise.all([site.killUp(), site.killWorker(), site.source.restart(), site.target.restart()]);
    await site.startUp();
  },
};
