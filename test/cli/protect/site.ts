import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import type { RunRecord } from '../../../src/model/run/run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { builtInUsers } from '../../../src/simulator/seed/users';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { jsonOf, recordOf } from '../../support/json';
import { Site } from '../../support/site';

const hex = (first: string, number: number): string => `${first}${number.toString(16).padStart(31, '0')}`;
export const groupIdOf = (number: number): string => hex('a', number);
export const itemIdOf = (number: number): string => hex('b', number);

/** A portal `gis` with a rule, and groups that are named by numbers: each holds one item. */
export class ProtectedSite {
  private constructor(readonly at: Site) {}

  static async open(rule: object, temporal?: string): Promise<ProtectedSite> {
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
    await site.configure({ official: rule });
    await at.startWorker();
    return site;
  }

  /** Writes other rules into the file. */
  async configure(protect: object): Promise<void> {
    const file = path.join(this.at.folder, 'portolan.yaml');
    const given = parse(await readFile(file, 'utf8')) as { portals: { gis: object } };
    await writeFile(
      file,
      stringify({ ...given, portals: { ...given.portals, gis: { ...given.portals.gis, protect } } }),
    );
  }

  /** A group with an item, made as late as this. */
  async group(number: number, tags: readonly string[], title = `Group ${number}`): Promise<void> {
    const seed = new SeedBuilder(this.at.source.world);
    seed.group(groupIdOf(number), title, { tags });
    await seed.file(
      { id: itemIdOf(number), title: `Item ${number}`, type: 'PDF', groups: [groupIdOf(number)] },
      `content ${number}`,
    );
  }

  /** The items of these groups are new again, so that each group is exported. */
  edit(...groups: number[]): void {
    const { world } = this.at.source;
    for (const number of groups) world.items.change(itemIdOf(number), { modified: world.now() });
  }

  type(...args: string[]): Promise<Ended> {
    return inProcess(args, { cwd: this.at.folder });
  }

  async read<T>(...args: string[]): Promise<T> {
    return jsonOf<T>(await this.type(...args, '-o', 'json'));
  }

  /** Runs the rule to its end. */
  async night(): Promise<RunRecord> {
    return recordOf(await this.type('protect', 'run', 'official', '-o', 'json'));
  }

  /** Exports of each group so far, by its number. */
  exports(number: number): number {
    return this.at.source
      .requests()
      .filter(
        ({ operation, method, path: of }) =>
          operation === 'group.export' && method === 'POST' && of.includes(groupIdOf(number)),
      ).length;
  }

  close(): Promise<void> {
    return this.at.close();
  }
}
