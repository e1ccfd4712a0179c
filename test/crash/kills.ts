import type { Site } from './site';

/** What is killed with SIGKILL, and what somebody does then. */
export interface Kill {
  readonly of: string;
  /** Starts what works until then. */
  readonly before: (site: Site) => Promise<void>;
  /** Kills, and brings back; resolves when `portolan up` listens again. */
  readonly happen: (site: Site) => Promise<void>;
}

const upAlone = async (site: Site): Promise<void> => void (await site.startUp());

async function killUp(site: Site): Promise<void> {
  site.up?.child.kill('SIGKILL');
  await site.up?.ended;
}

/** A second worker comes, and kill -9 takes `up`: its server and the second worker go on. */
export async function leaveToWorker(site: Site): Promise<void> {
  await site.startWorker();
  await killUp(site);
}

export const kills: readonly Kill[] = [
  {
    of: 'a separate worker, the only one that is left',
    async before(site) {
      await site.startUp();
      await leaveToWorker(site);
    },
    async happen(site) {
      site.worker?.child.kill('SIGKILL');
      await site.worker?.ended;
      await site.startUp();
    },
  },
  {
    of: 'up, whose server goes on and is taken over',
    before: upAlone,
    async happen(site) {
      const server = site.serverPid();
      await killUp(site);
      const { stderr } = await site.startUp();
      if (site.serverPid() !== server || !stderr.includes('Took over the Temporal server')) {
        throw new Error(`the server was not taken over:\n${stderr}`);
      }
    },
  },
  {
    of: 'the Temporal server, which up brings back',
    before: upAlone,
    async happen(site) {
      site.killServer();
      await site.up?.says('Temporal is back');
    },
  },
  {
    of: 'everything, the portals included',
    before: upAlone,
    async happen(site) {
      site.killServer();
      await Promise.all([killUp(site), site.source.kill(), site.target.kill()]);
      await Promise.all([site.source.start(), site.target.start()]);
      await site.startUp();
    },
  },
];
