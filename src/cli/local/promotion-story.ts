import pino from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Promotions } from '../../domain/release/promotions';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { exitStatus } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import type { RunRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { Simulator } from '../../simulator/simulator';
import { startServer } from '../../serve/server';
import { findRun } from '../../service/run/find-run';
import { readRun } from '../../service/run/read-run';
import type { WriteContext } from '../../service/run/run-sources';
import type { Output } from '../terminal/output';
import { differencesOf, type Portrait, portraitOf } from './portal-portrait';
import { approver, pipeline, soakMs, workOnDev } from './promotion-scene';
import type { StoryView } from './promotion-story-view';
import { TypedCommands } from './typed-commands';

/** Between two polls of a run. */
const LOOK_MS = 200;

/** Promotes one release from dev to production, and a second one that fails there and is rolled back. */
export class PromotionStory {
  private readonly typed: TypedCommands;
  private readonly promotions: Promotions;

  /**
   * @param portals of the scene, in its order
   * @param stopped has `play` throw CANCELLED
   */
  constructor(
    private readonly sources: WriteContext,
    private readonly portals: readonly Simulator[],
    private readonly output: Output,
    private readonly stopped: AbortSignal,
  ) {
    const { config, store } = sources;
    this.typed = new TypedCommands(config.path, output, stopped);
    this.promotions = openSnapshots(config, store).releases.promotions;
  }

  /** Throws INTERNAL if a step does not end as the story says. */
  async play(): Promise<StoryView> {
    this.tell(
      'THREE PORTALS, TWO GROUPS',
      'Maps are made on dev, tested on staging and published on production. Group "Roads" has layers and files,',
      'group "Apps" has the map and the app that show them.',
    );
    await this.toStaging();
    await this.toProduction();
    return await this.undone();
  }

  private async toStaging(): Promise<void> {
    this.tell(
      '1  PROMOTE A RELEASE TO STAGING',
      'A release is a snapshot of both groups and the settings of dev. It never changes. The promotion succeeds',
      'once everything is imported and verified and two checks pass: one requests a URL, the other is a program that',
      'calls every service the maps and apps use.',
    );
    await this.typed.type(['release', 'create', pipeline, '--reason', 'winter closures'], {
      due: exitStatus.done,
    });
    await this.typed.type(['promote', pipeline, '--to', 'staging', '--yes'], { due: exitStatus.done });
  }

  private async toProduction(): Promise<void> {
    const before = await this.portrait();
    this.tell(
      '2  PROMOTE IT TO PRODUCTION',
      `Production requires a soak of ${soakMs / 1000} s on staging, and two people: the starter cannot approve the promotion.`,
    );
    await this.typed.type(['promote', pipeline, '--to', 'production'], { due: exitStatus.failed });
    this.require('a refusal that changes nothing', differencesOf(before, await this.portrait()).length === 0);
    this.tell(undefined, 'With --at-soak the promotion waits for the soak time:');
    const { runId, hash } = await this.startedIntoProduction();
    await this.typed.type(['run', 'approve', shortRunId(runId), '--plan', hash], { due: exitStatus.usage });
    await this.approvedByLena(runId);
    await this.typed.type(['run', 'watch', shortRunId(runId)], { due: exitStatus.done });
    this.require('a release on production', differencesOf(before, await this.portrait()).length > 0);
  }

  private async undone(): Promise<StoryView> {
    this.tell(
      '3  PROMOTE A RELEASE THAT BREAKS AN APP',
      'On dev, the app gets a layer from a service that exists on dev and staging but not on production. The release',
      'also changes rows, a file and the banner.',
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

    this.tell(
      '4  PRODUCTION IS ROLLED BACK',
      'The failed promotion was rolled back automatically (onFailure: rollback).',
    );
    await this.typed.type(['promote', 'status', pipeline], { due: exitStatus.done });
    await this.typed.type(['promote', 'history', pipeline, 'production'], { due: exitStatus.done });
    const { error, checks = [] } = (await readRun(this.sources, runId)).record;
    const history = await this.promotions.entries(pipeline, 'production');
    const last = history.at(-1);
    this.require('a check that failed', error?.code === 'CHECK_FAILED');
    this.require('a rollback', last?.runId === runId && last.kind === 'rolled-back');
    this.require('a rollback of all of it', last?.status === 'verified');
    return {
      runId,
      history,
      soakMs,
      compared: before.size,
      failed: checks.filter(({ status }) => status === 'failed'),
      differences: differencesOf(before, after),
    };
  }

  /** Starts a promotion with --at-soak, and waits until it waits for approval. */
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

  /** The policy of production names its approvers, and requires a verified identity. */
  private async approvedByLena(runId: string): Promise<void> {
    const { plan } = await this.record(runId);
    if (!plan) throw new PortolanError('INTERNAL', `${runId} has no plan.`);
    const { hash } = plan;
    this.tell(
      undefined,
      'Lena, the approver for production, reviews the plan and approves it with her API key, over HTTP.',
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
    this.output.note(`${approver.name} approved plan ${hash}`);
  }

  private async record(runId: string): Promise<RunRecord> {
    return (await readRun(this.sources, runId)).record;
  }

  private async portrait(): Promise<Portrait> {
    const production = this.portals.at(-1);
    return production ? await portraitOf(production.world) : new Map<string, string>();
  }

  /** Throws CANCELLED if the demo is stopped. @param ms milliseconds */
  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopped }).catch(() => undefined);
    if (this.stopped.aborted) throw new PortolanError('CANCELLED', 'The demo was stopped.');
  }

  private require(what: string, isThere: boolean): void {
    if (!isThere) throw new PortolanError('INTERNAL', `The demo could not show ${what}.`);
  }

  private tell(title: string | undefined, ...lines: readonly string[]): void {
    const { colors } = this.output.side;
    const all = [...(title === undefined ? [] : [colors.bold(colors.cyan(title))]), ...lines];
    this.output.note(`\n${all.join('\n')}`);
  }
}
