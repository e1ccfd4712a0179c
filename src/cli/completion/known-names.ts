import type { Config } from '../../config/config';
import { loadConfig } from '../../config/load-config';
import { openSnapshots } from '../../domain/snapshot/open-snapshots';
import { shortRunId } from '../../model/run/run-id';
import { subjectOf } from '../../model/schedule/schedule';
import { oneLine } from '../../model/text/plain-text';
import { runPage } from '../../service/run/run-rows';
import { withReadableSources } from '../../service/run/run-sources';
import type { LookUp, NamedThing, Suggestion } from './suggestions';

/** Who presses a key waits no longer. */
const LOOK_UP_MS = 2_000;
/** Of runs and snapshots, which grow in number, the newest. */
const NEWEST = 50;

/** Names of the configuration, and the newest runs and snapshots. Nothing where they cannot be read at once. */
export const lookUpNames: LookUp = async (thing, file) => {
  const late = new Promise<Suggestion[]>((resolve) => {
    setTimeout(() => resolve([]), LOOK_UP_MS).unref();
  });
  const found = new Promise<Config>((resolve) => {
    resolve(loadConfig(file));
  })
    .then((config) => namesOf(thing, config))
    .catch(() => []);
  return await Promise.race([found, late]);
};

async function namesOf(thing: NamedThing, config: Config): Promise<Suggestion[]> {
  switch (thing) {
    case 'route':
      return [...config.routes.values()].map(({ name, source, target }) => ({
        word: name,
        what: `${source.portal} to ${target.portal}`,
      }));
    case 'portal':
      return [...config.portals.values()].map(({ name, url }) => ({ word: name, what: url }));
    case 'schedule':
      return [...config.schedules.values()].map((spec) => ({
        word: spec.name,
        what: `${spec.kind} of ${subjectOf(spec)}`,
      }));
    case 'gate':
      return [...config.portals.keys()].flatMap((portal) =>
        ['export', 'import'].map((direction) => ({ word: `${portal}/${direction}`, what: '' })),
      );
    case 'run':
      return await newestRuns(config);
    case 'snapshot':
      return await newestSnapshots(config);
    case 'pipeline':
      return [...config.pipelines.values()].map(({ name, stages }) => ({
        word: name,
        what: stages.map((stage) => stage.name).join(' -> '),
      }));
    case 'release':
      return await newestReleases(config);
  }
}

/** By the end of the id, which is what people type, and by the whole. */
async function newestRuns(config: Config): Promise<Suggestion[]> {
  const { rows } = await withReadableSources(config, (sources) => runPage(sources, { limit: NEWEST }));
  const newest = rows.slice(0, NEWEST).map(({ runId, kind, route, status }) => ({
    runId,
    what: oneLine(`${kind} of ${route}, ${status}`),
  }));
  return [
    { word: 'latest', what: 'the newest run' },
    ...newest.map(({ runId, what }) => ({ word: shortRunId(runId), what })),
    ...newest.map(({ runId, what }) => ({ word: runId, what })),
  ];
}

async function newestSnapshots(config: Config): Promise<Suggestion[]> {
  const ids: string[] = [];
  for await (const id of openSnapshots(config).ids()) ids.push(id);
  const newest = ids.sort().reverse().slice(0, NEWEST);
  return [
    { word: 'latest', what: 'the newest good backup' },
    ...[...config.routes.keys()].map((route) => ({
      word: `latest:${route}`,
      what: `the newest good backup of ${route}`,
    })),
    ...newest.map((id) => ({ word: shortRunId(id), what: id })),
    ...newest.map((id) => ({ word: id, what: '' })),
  ];
}

async function newestReleases(config: Config): Promise<Suggestion[]> {
  const { readable } = await openSnapshots(config).releases.list();
  return [
    ...[...config.pipelines.keys()].map((pipeline) => ({
      word: `latest:${pipeline}`,
      what: `the newest release of ${pipeline}`,
    })),
    ...readable
      .slice(0, NEWEST)
      .map(({ manifest: { id, reason } }) => ({ word: id, what: oneLine(reason ?? '') })),
  ];
}
