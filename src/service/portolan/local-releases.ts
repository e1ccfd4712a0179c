import { findPipeline } from '../../config/resolve-pipeline';
import { readHistory, readStageDifference } from '../promotion/pipelines';
import { readStages } from '../promotion/read-stages';
import {
  diffReleases,
  forgetRelease,
  listReleases,
  pinRelease,
  readRelease,
  unpinRelease,
} from '../release/releases';
import type { ReadContext } from '../run/run-sources';
import { whoTypes } from '../run/who';
import type { PortolanPipelines, PortolanReleases } from './releases';

/** Releases of the store of a configuration. */
export const localReleases = (sources: ReadContext): PortolanReleases => ({
  list: (pipeline) => listReleases(sources, pipeline),
  show: (text) => readRelease(sources, text),
  diff: (earlier, later) => diffReleases(sources, earlier, later),
  pin: (text, reason) => pinRelease(sources, text, { who: whoTypes().who, reason }),
  unpin: (text) => unpinRelease(sources, text),
  forget: (text, asked) => forgetRelease(sources, text, asked),
});

/** Pipelines of a configuration, and its portals if they are queried. */
export const localPipelines = (sources: ReadContext): PortolanPipelines => ({
  async stages(name, asked) {
    const { config } = sources;
    const pipelines = name === undefined ? [...config.pipelines.values()] : [findPipeline(config, name)];
    const listed = [];
    for (const pipeline of pipelines)
      listed.push({ pipeline: pipeline.name, stages: await readStages(sources, pipeline, asked) });
    return listed;
  },
  history: (pipeline, stage) => readHistory(sources, pipeline, stage),
  diff: (pipeline, stage, release) => readStageDifference(sources, pipeline, stage, release),
});
