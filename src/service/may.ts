import type { Allowance, Config } from '../config/config';
import { PortolanError } from '../model/errors/errors';
import { pipelineOfGroup } from '../model/release/release-input';
import type { Right } from '../model/rights';
import { pipelineKinds, type RunKind } from '../model/run/run';
import { wholeOfPart } from '../model/run/run-id';
import type { Person } from '../model/run/signature';
import type { RunRoute } from '../model/transfer/route';

/** Who asks, and what they may do. */
export interface Caller extends Person, Allowance {}

/** A run, or one that is about to start, as far as it says to whom it belongs. */
export interface RunOwner {
  readonly kind: RunKind;
  readonly route: { readonly name: string };
  readonly runId?: string;
  /** Of a change of a portal. */
  readonly operation?: string;
}

/** What a caller may do. Each method throws `RIGHT_MISSING` for what they may not. */
export class May {
  /** Whether anything was asked about what is changed. */
  wasAsked = false;

  constructor(private readonly caller: Caller) {}

  /** @param right undefined is what nobody is given */
  have(right: Right | undefined): void {
    const { rights, who } = this.caller;
    if (right !== undefined && (right === 'view' || rights.includes(right))) return;
    throw missing(
      `${who} has only these rights: ${rights.join(', ')}. This needs ${right ?? 'a right that nobody has'}.`,
    );
  }

  changeNamed(kind: 'routes' | 'pipelines', name: string): void {
    this.wasAsked = true;
    const named = this.caller[kind];
    if (named === undefined || named.includes(name)) return;
    throw missing(
      `${this.caller.who} may not do this with ${name}. Allowed ${kind}: ${named.join(', ') || 'none'}.`,
    );
  }

  /** Changes what belongs to no route or pipeline. */
  changeShared(): void {
    this.wasAsked = true;
    const { routes, pipelines, who } = this.caller;
    if (routes === undefined && pipelines === undefined) return;
    throw missing(
      `Except for viewing, ${who} is limited to some routes and pipelines, and this belongs to none.`,
    );
  }

  changeRun({ kind, route: { name }, runId = '', operation }: RunOwner): void {
    if (operation !== undefined) return this.changeShared();
    // A child run of a promotion or release is named after its pipeline and its group.
    const pipeline = pipelineOfGroup(name);
    const isPart = /^(promotion|release)-/.test(wholeOfPart(runId) ?? '');
    if (isPart && pipeline !== undefined) return this.changeNamed('pipelines', pipeline);
    this.changeNamed(pipelineKinds.has(kind) ? 'pipelines' : 'routes', name);
  }

  /** Writes into the target of a run: what restores a snapshot has the name of its route, and any portal as target. */
  writeInto(config: Config, kind: RunKind, { name, source, target, options: { taskRun } }: RunRoute): void {
    const { routes, who } = this.caller;
    if (routes === undefined || pipelineKinds.has(kind)) return;
    const own = config.routes.get(name);
    const ends = [own?.source, own?.target, own?.backup.drill];
    if (taskRun && !ends.some((end) => end?.portal === taskRun.portal))
      throw missing(`${who} may not update tasks of ${taskRun.portal}.`);
    if (target === undefined) return;
    const isOwn = ends.some((end) => end?.portal === target.portal && end.group === target.groupId);
    const isFrom = own?.source.portal === source.portal && own.source.group === source.groupId;
    if (isOwn && (isFrom || (kind !== 'sync' && kind !== 'bisect'))) return;
    throw missing(
      `${who} may write only into groups of these routes: ${routes.join(', ')}; not into ${target.groupId} of ${target.portal}.`,
    );
  }
}

const missing = (detail: string): PortolanError => new PortolanError('RIGHT_MISSING', detail);
