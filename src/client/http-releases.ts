import { z } from 'zod';
import type { PortolanPipelines, PortolanReleases } from '../service/portolan/releases';
import { pipelineHistory, stageDifference } from '../service/promotion/history-view';
import { stageShown } from '../service/promotion/stage-view';
import {
  forgottenRelease,
  listedReleases,
  pinned,
  releaseComparison,
  releaseShown,
  unpinned,
} from '../service/release/release-view';
import { type Api, part } from './api';

/** Releases of the store of a server. */
export const httpReleases = (api: Api): PortolanReleases => ({
  list: (pipeline) => api.get('/releases', listedReleases, { pipeline }),
  show: (text) => api.get(`/releases/${part(text)}`, releaseShown),
  diff: (earlier, later) => api.get(`/releases/${part(earlier)}/diff`, releaseComparison, { with: later }),
  pin: (text, reason) => api.post(`/releases/${part(text)}/pin`, pinned, { reason }),
  unpin: (text) => api.post(`/releases/${part(text)}/unpin`, unpinned, {}),
  forget: (text, asked) => api.post(`/releases/${part(text)}/forget`, forgottenRelease, asked),
});

/** Pipelines of a server's configuration; the server queries the portals. */
export const httpPipelines = (api: Api): PortolanPipelines => ({
  async stages(name, { drift }) {
    const pipeline = z.string();
    const names =
      name === undefined
        ? (await api.get('/pipelines', z.array(z.object({ pipeline })))).map((each) => each.pipeline)
        : [name];
    const schema = z.object({ pipeline, stages: z.array(stageShown) });
    const listed = [];
    for (const each of names) listed.push(await api.get(`/pipelines/${part(each)}`, schema, { drift }));
    return listed;
  },
  async history(pipeline, stage) {
    const page = pipelineHistory.extend({ next: z.string().optional() });
    const pages = await api.pages(`/pipelines/${part(pipeline)}/history`, page, ({ next }) => next, {
      stage,
    });
    return { pipeline, entries: pages.flatMap(({ entries }) => entries) };
  },
  diff: (pipeline, stage, release) =>
    api.get(`/pipelines/${part(pipeline)}/stages/${part(stage)}/diff`, stageDifference, { release }),
});
