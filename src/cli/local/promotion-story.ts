import pino from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Promotions } from '../../domain/release/promotions';
import { openSnapshots } from '../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { Simulator } from '../../simulator/simulator';
import { startServer } from '../../serve/server';
import { findRun } from '../../service/run/find-run';
import { readRun } from '../../service/run/read-run';
import type { ActingSources } from '../../service/run/run-sources';
import type { Output } from '../terminal/output';
import { differencesOf, type Portrait, portraitOf } from './portal-portrait';
import { approver, pipeline, soakMs, workOnDev } from './promotion-scene';
import type { StoryView } from './promotion-story-view';
import { TypedCommands } from './typed-commands';

/** Between two looks at a run that is about to wait. */
const LOOK_MS = 200;

/** A release on its way from dev to production, and the next one, which production does not keep. */
export class PromotionStory {
  private readonly typed: TypedCommands;
  private readonly promotions: Promotions;

  /**
   * @param portals of the scene, in its order
   * @param stopped has `play` throw CANCELLED
   */
  constructor(
    private readonly sources: ActingSources,
    private readonly portals: readonly Simulator[],
    private readonly output: Output,
    private readonly stopped: AbortSignal,
  ) {
    const { config, store } = sources;
    this.typed = new TypedCommands(config.path, output, stopped);
    this.promotions = openSnapshots(config, store).releases.promotions;
  }

  /** Throws INTERNAL where something goes otherwise than it is told. */
  async play(): Promise<StoryView> {
    this.tell(
      'THREE PORTALS, TWO GROUPS',
      'Maps are made on dev, tried on staging, and seen by everybody on production. Group "Roads" holds layers and',
      'files, group "Apps" the map and the app that show them.',
    );
    await this.toStaging();
    await this.toProduction();
    return await this.undone();
  }

  private async toStaging(): Promise<void> {
    this.tell(
      '1  A RELEASE GOES TO STAGING',
      'What both groups and the settings of dev hold now becomes a release, which never changes from here on. It',
      'stands on staging once all of it is imported and read back, and two checks pass: one asks an address, the',
      'other is a program that asks every service which a map or an app names there.',
    );
    await this.typed.type(['release', 'create', pipeline, '--reason', 'winter closures'], {
      due: exitStatus.done,
    });
    await this.typed.type(['promote', pipeline, '--to', 'staging', '--yes'], { due: exitStatus.done });
  }

  private async toProduction(): Promise<void> {
    const before = await this.portrait();
    this.tell(
      '2  PRODUCTION TAKES IT IN ITS OWN TIME',
      `It asks for ${soakMs / 1000} s on staging first, and for two people: who starts a promotion does not approve it.`,
    );
    await this.typed.type(['promote', pipeline, '--to', 'production'], { due: exitStatus.failed });
    this.require('a refusal that changes nothing', differencesOf(before, await this.portrait()).length === 0);
    this.tell(undefined, 'It may wait there by itself until it has stood for long enough:');
    const { runId, hash } = await this.startedIntoProduction();
    await this.typed.type(['run', 'approve', shortRunId(runId), '--plan', hash], { due: exitStatus.usage });
    await this.approvedByLena(runId);
    await this.typed.type(['run', 'watch', shortRunId(runId)], { due: exitStatus.done });
    this.require('a release on production', differencesOf(before, await this.portrait()).length > 0);
  }

  private async undone(): Promise<StoryView> {
    this.tell(
      '3  THE NEXT RELEASE BREAKS AN APP',
      'On dev the app gets one more layer, from a service that is published on dev and on staging; nobody has',
      'thought of production. Rows, a new file and the banner of the site come along.',
    );
    await workOnDev(this.portals);
    const brief = { due: exitStatus.done, brief: true };
    await this.typed.type(['release', 'create', pipeline, '--reason', 'winter conditions'], brief);
    await this.typed.type(['promote', pipeline, '--to', 'staging', '--yes'], brief);
    const before = await this.portrait();
    const { runId } = await this.startedIntoProduction();
    await this.approvedByLena(runId);
    await this.typed.type(['run', 'watch', shortRunId(runId)], { due: exitStatus.failed });
    const after = await this.portrait();

    this.tell('4  PRODUCTION IS WHAT IT WAS', 'The promotion was undone by itself: onFailure: rollback.');
    await this.typed.type(['promote', 'status', pipeline], { due: exitStatus.done });
    await this.typed.type(['promote', 'history', pipeline, 'production'], { due: exitStatus.done });
    const { error, checks = [] } = (await readRun(this.sources, runId)).record;
    const history = await this.promotions.entries(pipeline, 'production');
    const last = history.at(-1);
    this.require('a check that failed', error?.code === 'CHECK_FAILED');
    this.require('a rollback', last?.runId === runId && last.kind === 'rolled-back');
    this.require('a rollback of all of it', last?.status === 'verified');
    return {
      ...{ runId, history, soakMs, compared: before.size },
      failed: checks.filter(({ status }) => status === 'failed'),
      differences: differencesOf(before, after),
    };
  }

  /** Starts a promotion that waits for the soak and then for an approval, and waits until it does. */
  private async startedIntoProduction(): Promise<{ readonly runId: string; readonly hash: string }> {
    await this.typed.type(['promote', pipeline, '--to', 'production', '--at-soak', '--no-wait'], {
      due: exitStatus.done,
    });
    const runId = await findRun(this.sources, 'latest');
    for (;;) {
      const { status, plan, finishedAt, error } = await this.record(runId);
      if (status === 'waiting' && plan) return { runId, hash: plan.hash };
      this.require(`a plan (${error?.message ?? status})`, finishedAt === undefined && status !== 'parked');
      await this.pause(LOOK_MS);
    }
  }

  /** Production takes the yes of those alone whom its policy names, and who have shown who they are. */
  private async approvedByLena(runId: string): Promise<void> {
    const { plan } = await this.record(runId);
    if (!plan) throw new PortolanError('INTERNAL', `${runId} has no plan.`);
    const { hash } = plan;
    this.tell(
      undefined,
      'Lena, who answers for production, looks at the plan, and says yes with her key, over HTTP.',
    );
    const server = await startServer(this.sources.config, pino({ level: 'silent' }));
    try {
      const answer = await fetch(`${server.url}/api/v1/runs/${runId}/approve`, {
        method: 'POST',
        headers: { authorization: `Bearer ${approver.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ plan: hash }),
      });
      if (!answer.ok) throw new PortolanError('INTERNAL', `serve returned ${answer.status}.`);
    } finally {
      await server.close();
    }
    this.output.note(`approved: plan ${hash}, by ${approver.name}`);
  }

  private async record(runId: string): Promise<RunRecord> {
    return (await readRun(this.sources, runId)).record;
  }

  private async portrait(): Promise<Portrait> {
    const production = this.portals.at(-1);
    return production ? await portraitOf(production.world) : new Map<string, string>();
  }

  /** Throws CANCELLED where it is cut short. @param ms milliseconds */
  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopped }).catch(() => undefined);
    if (this.stopped.aborted) throw new PortolanError('CANCELLED', 'The demo was stopped.');
  }

  private require(what: string, isThere: boolean): void {
    if (!isThere) throw new PortolanError('INTERNAL', `The demo was to show ${what}, and could not.`);
  }

  private tell(title: string | undefined, ...lines: readonly string[]): void {
    const { colors } = this.output.side;
    const all = [...(title === undefined ? [] : [colors.bold(colors.cyan(title))]), ...lines];
    this.output.note(`\n${all.join('\n')}`);
  }
}
