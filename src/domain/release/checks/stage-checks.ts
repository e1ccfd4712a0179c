import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckConfig, Config, StageConfig } from '../../../config/config';
import { readCertificate } from '../../../config/portal-pool';
import { findPipeline } from '../../../config/resolve-pipeline';
import { findPortal } from '../../../config/resolve-route';
import { PortolanError } from '../../../model/errors/errors';
import type { CheckResult, DueCheck } from '../../../model/release/promotion';
import type { Snapshots } from '../../snapshot/snapshots';
import { contextOf } from './check-context';
import { type Tried, tryCommand, tryUrl } from './one-try';

/** A check that a run asks for. What it does is what the configuration of this process says, and nobody else. */
interface AskedCheck {
  readonly runId: string;
  readonly pipeline: string;
  readonly stage: string;
  /** Name of the check. */
  readonly check: string;
  /** Id of the release that is in the stage now. */
  readonly release: string;
}

/** How far a check is: another worker goes on from there. */
export interface CheckProgress {
  /** That came to their end. */
  readonly tries: number;
  /** @format milliseconds since the epoch */
  readonly since: number;
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** The pause after so many tries. @format milliseconds */
const pauseAfter = (tries: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));

/** The checks of a configuration's stages. */
export class StageChecks {
  constructor(
    private readonly config: Config,
    private readonly snapshots: Snapshots,
    /** @param ms pause between two tries */
    private readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      sleep(ms, undefined, { signal }),
  ) {}

  /** In their order. Throws PIPELINE_NOT_FOUND, and CONFIG_MISMATCH where the pipeline has no such stage here. */
  due(pipeline: string, stage: string): DueCheck[] {
    const { checks = [] } = this.stageOf(pipeline, stage);
    return checks.map((check) => ({ name: check.name, longestMs: longestOf(check) }));
  }

  /**
   * Tries a check until it passes or has no tries left. Throws where it could not be made: what `due` throws,
   * CONFIG_MISMATCH where the stage has no such check here, RELEASE_NOT_FOUND, and what reading snapshots throws.
   */
  async carryOut(
    asked: AskedCheck,
    {
      signal,
      before = {},
      onProgress,
    }: {
      readonly signal: AbortSignal;
      /** What was done of it before. */
      readonly before?: Partial<CheckProgress>;
      readonly onProgress: (progress: CheckProgress) => void;
    },
  ): Promise<CheckResult> {
    const { check, tryOnce } = await this.prepare(asked, signal);
    const { since = Date.now(), tries: tried = 0 } = before;
    for (let tries = tried + 1; ; tries++) {
      const { problem, output, isLast } = await tryOnce();
      // What was ended with this process says nothing about the stage.
      signal.throwIfAborted();
      const common = { name: check.name, tries, tookMs: Date.now() - since, output };
      if (problem === undefined) return { ...common, status: 'passed' };
      if (isLast || tries >= check.tries) return { ...common, status: 'failed', problem };
      onProgress({ tries, since });
      await this.pause(pauseAfter(tries), signal);
    }
  }

  private async prepare(
    asked: AskedCheck,
    signal: AbortSignal,
  ): Promise<{ check: CheckConfig; tryOnce: () => Promise<Tried> }> {
    const { config, snapshots } = this;
    const stage = this.stageOf(asked.pipeline, asked.stage);
    const check = stage.checks?.find(({ name }) => name === asked.check);
    if (!check) {
      const names = stage.checks?.map(({ name }) => name).join(', ') || 'none';
      throw this.mismatch(
        `has no check "${asked.check}" at stage ${stage.name} of ${asked.pipeline}; defined: ${names}`,
      );
    }
    const portal = findPortal(config, stage.portal);
    if ('url' in check) {
      const { ca, proxy } = portal;
      const options = { ca: ca === undefined ? undefined : readCertificate(portal.name, ca), proxy };
      return { check, tryOnce: () => tryUrl(check, options, signal) };
    }
    const { manifest } = await snapshots.releases.read(asked.release);
    const context = await contextOf(snapshots, asked, manifest, { stage, portal });
    return { check, tryOnce: () => tryCommand(check, context, path.dirname(config.path), signal) };
  }

  private stageOf(pipeline: string, name: string): StageConfig {
    const { stages } = findPipeline(this.config, pipeline);
    const found = stages.find((stage) => stage.name === name);
    if (found) return found;
    throw this.mismatch(`has no stage "${name}" of pipeline ${pipeline}`);
  }

  private mismatch(what: string): PortolanError {
    return new PortolanError('CONFIG_MISMATCH', `The worker's configuration, ${this.config.path}, ${what}.`);
  }
}

/** Beside its tries a check takes a moment to begin and to end. */
const SLACK_MS = 60_000;

const longestOf = ({ withinMs, tries }: CheckConfig): number =>
  Array.from({ length: tries - 1 }, (_, index) => pauseAfter(index + 1)).reduce(
    (sum, pause) => sum + pause,
    tries * withinMs + SLACK_MS,
  );
