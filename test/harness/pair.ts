import path from 'node:path';
import { transportItems } from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import { type Simulator, startSimulator } from '../../src/simulator/simulator';
import type { SimulatorOptions } from '../../src/simulator/options';
import { Wire } from './wire';

export const sides = ['source', 'target'] as const;
export type Side = (typeof sides)[number];

export type Seeds = Partial<Record<Side, Partial<SimulatorOptions>>>;

const names = { source: 'staging', target: 'production' } as const;

/** Two portals in this process with their wires, for one run at a time. */
export class Pair {
  /** ID of the run that the next one is about. */
  earlier = '';

  private constructor(
    readonly number: number,
    private readonly portals: Record<Side, Simulator>,
    readonly wires: Readonly<Record<Side, Wire>>,
    private readonly options: Readonly<Record<Side, SimulatorOptions>>,
  ) {}

  static async open(folder: string, number: number, seeds: Seeds): Promise<Pair> {
    const optionsOf = (side: Side, seed: string): SimulatorOptions => ({
      // New portals, so that every call is made.
      version: '11.4',
      seed,
      jobPolls: 1,
      commitLagMs: 0,
      ...seeds[side],
      name: `${names[side]}-${number}`,
      state: path.join(folder, `${names[side]}-${number}`),
    });
    const options = {
      source: optionsOf('source', 'transport'),
      target: optionsOf('target', 'transport-target'),
    };
    const [source, target] = [await startSimulator(options.source), await startSimulator(options.target)];
    const wires = { source: await Wire.to(source.url), target: await Wire.to(target.url) };
    for (const { world } of [source, target]) {
      // Only administrators can read the disk figures of a portal.
      const { role, privileges } = world.users.get(builtInUsers.admin.username)!;
      world.users.change(builtInUsers.owner.username, { role, privileges });
    }
    return new Pair(number, { source, target }, wires, options);
  }

  get source(): Simulator {
    return this.portals.source;
  }

  get target(): Simulator {
    return this.portals.target;
  }

  /** Name in portolan.yaml. */
  name(side: Side): string {
    return `${names[side]}-${this.number}`;
  }

  /** Route without approval, and the one with. */
  get free(): string {
    return `free-${this.number}`;
  }
  get asks(): string {
    return `asks-${this.number}`;
  }
  /** A pipeline. */
  get line(): string {
    return `line-${this.number}`;
  }

  /** Sets the size of the image, which is uploaded in parts from 64 MB. */
  sizeImage(bytes: number): void {
    const { items } = this.source.world;
    const image = items.get(transportItems.image);
    if (image) items.put(image.id, { ...image, size: bytes });
  }

  /** Text without what differs between pairs: names, addresses, run IDs. */
  plain(text: string): string {
    const addresses = sides.flatMap((side) => [
      [this.portals[side].world.origin, `{${side}}`],
      [new URL(this.wires[side].url).origin, `{${side}}`],
    ]);
    return addresses
      .reduce((sofar, [address = '', name = '']) => sofar.replaceAll(address, name), text)
      .replaceAll(new RegExp(`\\b(staging|production|free|asks|line)-${this.number}\\b`, 'g'), '$1')
      .replaceAll(/\b(\d{8}T\d{6}Z|request)-\w+/g, 'ID');
  }

  /** Cuts all connections of a portal, which then listens no more. */
  async strike(side: Side): Promise<void> {
    await this.portals[side].close();
  }

  /** Starts a struck portal again on its state. */
  async bringBack(side: Side): Promise<void> {
    this.portals[side] = await startSimulator(this.options[side]);
  }

  async close(): Promise<void> {
    for (const side of sides) await this.wires[side].close();
    for (const side of sides) await this.portals[side].close();
  }
}
