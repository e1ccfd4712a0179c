import { SeedBuilder } from '../../../src/simulator/seed/build';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { Site } from '../../support/site';
import { typedIn } from '../../support/typed-in';

const hex = (first: string, number: number) => `${first}${number.toString(16).padStart(31, '0')}`;
export const groupIdOf = (number: number) => hex('a', number);
export const itemIdOf = (number: number) => hex('b', number);

/** A portal `gis` with a rule, and groups that are named by numbers: each holds one item. */
export class ProtectedSite {
  readonly commands = typedIn(() => this.at.folder);
  readonly type = this.commands.run;
  readonly expectRun = this.commands.expectRun;
  readonly read = this.commands.json;

  private constructor(readonly at: Site) {}

  static async open(rule: object, temporal?: string) {
    const at = await Site.open({
      temporal,
      listed: true,
      worker: false,
      user: builtInUsers.admin,
      source: { seed: 'empty', searchLagMs: 0 },
      target: { seed: 'empty' },
      names: { source: 'gis', target: 'spare' },
      config: { routes: {} },
    });
    const site = new ProtectedSite(at);
    site.configure({ official: rule });
    await at.startWorker();
    return site;
  }

  /** Writes other rules into the file. */
  configure(protect: object) {
    const { portals } = this.commands.given<{ portals: { gis: object } }>();
    this.commands.configure({ portals: { ...portals, gis: { ...portals.gis, protect } } });
  }

  /** A group with an item, made as late as this. */
  async group(number: number, tags: readonly string[], title = `Group ${number}`) {
    const seed = new SeedBuilder(this.at.source.world);
    seed.group(groupIdOf(number), title, { tags });
    await seed.file(
      { id: itemIdOf(number), title: `Item ${number}`, type: 'PDF', groups: [groupIdOf(number)] },
      `content ${number}`,
    );
  }

  /** The items of these groups are new again, so that each group is exported. */
  edit(...groups: number[]) {
    const { world } = this.at.source;
    for (const number of groups) world.items.change(itemIdOf(number), { modified: world.now() });
  }

  /** Runs the rule to its end. */
  night() {
    return this.commands.recordOf('protect', 'run', 'official');
  }

  /** Exports of each group so far, by its number. */
  exports(number: number) {
    return this.at.source
      .requests()
      .filter(
        ({ operation, method, path: of }) =>
          operation === 'group.export' && method === 'POST' && of.includes(groupIdOf(number)),
      ).length;
  }

  close() {
    return this.at.close();
  }
}
