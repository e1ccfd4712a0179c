import { openSecrets } from '../../config/open-secrets';
import { PortalPool } from '../../config/portal-pool';
import { resolveRoute } from '../../config/resolve-route';
import { Policy } from '../../domain/policy/policy';
import type { GuardResult } from '../../model/run/run';
import { portalsOf } from '../../model/text/words';
import { hooksAndPeople } from './hooks-and-people';
import type { StoredSources } from '../run/run-sources';
import { examineControl, examinePortal, examineRoute, examineTemporal } from './examination';
import type { Examined } from './examined-view';
import { examinePipeline } from './pipeline-examination';

/** How an examination is made. */
export interface ExaminationOptions {
  /** Called before each part that takes time. */
  readonly onBegin?: (of: Omit<Examined, 'results'>) => void;
  /** Where the configuration was read from. @default its path */
  readonly file?: string;
}

/**
 * Every preflight check outside of a run, with the secrets readable here: of a route, a pipeline, or every portal.
 * Writes nothing on a portal. Throws `ROUTE_NOT_FOUND`.
 */
export async function examine(
  { config, store, signal }: StoredSources,
  name: string | undefined,
  { onBegin, file }: ExaminationOptions = {},
): Promise<Examined> {
  const pipeline = config.pipelines.get(name ?? '');
  const route = name === undefined || pipeline ? undefined : resolveRoute(config, { route: name });
  const of = pipeline ? 'pipeline' : route ? 'route' : 'portals';
  const secrets = await openSecrets(config, file);
  onBegin?.({ of, name });
  const portals = new PortalPool(config, {}, signal);
  const examination = { portals, store, policy: new Policy(config, store) };
  const look = async (): Promise<GuardResult[]> => {
    if (pipeline) return await examinePipeline(config, pipeline, examination);
    if (route) return await examineRoute(route, examination);
    const results: GuardResult[] = [];
    for (const each of config.portals.keys()) results.push(...(await examinePortal(each, examination)));
    return results;
  };
  const meant = pipeline
    ? pipeline.stages.map(({ portal }) => portal)
    : route
      ? portalsOf(route)
      : [...config.portals.keys()];
  const all = async (): Promise<GuardResult[]> => [
    ...(secrets ? [secrets] : []),
    ...(await look()),
    ...hooksAndPeople(config, name),
    ...(await examineControl(config)),
    ...(await examineTemporal(config, meant)),
  ];
  try {
    return { of, name, results: await all() };
  } finally {
    await portals.close();
  }
}
