import { problemsOf } from './promises';
import { items, reliefId, type Site } from './site';
import type { Scenario } from './trial';

/** A sync that takes some way, and what is promised of it. */
export interface Shape extends Scenario {
  readonly of: string;
  /** In how many packages it goes. */
  readonly packages: number;
}

const MB = 1024 ** 2;

/** What the group of these sites holds: the smaller image comes apart from the larger one where both are too much. */
export const sizes = { imageBytes: 65 * MB, reliefBytes: 6 * MB } as const;
const tooLittleForBoth = 70 * MB;

const startsWith =
  (...flags: readonly string[]): Scenario['begin'] =>
  (site, { at }) =>
    site.sync('waits' in at ? 'asks' : 'free', ...flags);

/** Everything goes, at once. */
const whole: Shape = {
  of: 'everything',
  packages: 1,
  prepare: (site) => Promise.resolve(site.configure()),
  begin: startsWith('--full'),
  problemsOf: (site, record, seen) => problemsOf(site, record, seen),
};

/** Only what was edited since the route's last run goes: an image that goes up in parts, and what every run finds edited. */
const incremental: Shape = {
  of: 'what was edited',
  packages: 1,
  touches: [items.mosaic],
  async prepare(site, { at }) {
    site.configure();
    await bringAllBy(site, 'waits' in at ? 'asks' : 'free');
  },
  begin: startsWith(),
  problemsOf: (site, record, seen) => problemsOf(site, record, seen, { stays: [reliefId] }),
};

/** Everything goes, in a package after the other. */
const inTwoPackages: Shape = {
  of: 'two packages',
  packages: 2,
  prepare: (site) => Promise.resolve(site.configure(tooLittleForBoth)),
  begin: startsWith('--full'),
  problemsOf: (site, record, seen) => problemsOf(site, record, seen, { packages: 2 }),
};

/** So much over what the items weigh that nobody knows it to be too little before the package is there. @format bytes */
const lessThanWhatIsAround = (trials: number): number =>
  sizes.imageBytes + sizes.reliefBytes + 40 + 10 * trials;
const cuts = new WeakMap<Site, number>();

/** Everything goes, in one package that turns out to be too large and is cut in two. */
const inHalves: Shape = {
  of: 'halves',
  packages: 2,
  prepare(site) {
    // What earlier runs have remembered of the weights must not be over the limit of this one.
    const trials = (cuts.get(site) ?? 0) + 1;
    cuts.set(site, trials);
    return Promise.resolve(site.configure(lessThanWhatIsAround(trials)));
  },
  begin: startsWith('--full'),
  async problemsOf(site, record, seen) {
    const posted = seen.mark.exports();
    const problems = await problemsOf(site, record, seen, { packages: 2 });
    return posted >= 3 ? problems : [...problems, `was not cut in two: posted ${posted} exports`];
  },
};

export const shapes = { whole, incremental, inTwoPackages, inHalves } as const;

/** Everything is on the target by a run of this route: what another one has written since is nothing that this one has brought. */
export async function bringAllBy(site: Site, route: 'free' | 'asks'): Promise<void> {
  if (site.lastSynced === route) return;
  const runId = await site.sync(route, ...(route === 'asks' ? ['--yes'] : []));
  const { status } = await site.run('run', 'watch', runId);
  if (status !== 0) throw new Error(`the sync of ${route} that has to come before ended ${status}`);
}
