import { tsToMs } from '@temporalio/common/lib/time';
import type { Config } from '../../config/config';
import { configMark, programVersion } from '../../config/config-mark';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/run';
import { bytesText, countOf, durationWords } from '../../model/text/words';
import {
  fromTemporal,
  isAtCloud,
  refusedRight,
  type TemporalClient,
  withTemporal,
} from '../../temporal/connection';
import { readDeployment, backlogOf, setCurrentWords } from '../../temporal/task-queue';
import { missingSearchAttributes, registeringWords } from '../../temporal/search-attributes';
import { startWorkerView } from '../run/compatible-workers';
import type { StoredSources } from '../run/run-sources';
import type { SeenWorker } from '../run/workers/seen-worker-view';
import { seenWorkersOf, type WorkKind, workKinds } from '../run/workers/seen-workers';
import { clockGuard } from './clocks';
import { refusalOf } from './examination';
import { ofServe, ofStore } from './store-and-serve';

/** Minimum retention, so that events are still there after a weekend. @format milliseconds */
const RETENTION_MIN_MS = 3 * 24 * 3_600_000;
/** Waiting time above which there are too few fitting workers. @format milliseconds */
const WAITS_MS = 60_000;
/** Temporal's default payload limit, which runs are designed for. @format bytes */
const PAYLOAD_MIN = 2 * 1024 * 1024;

/**
 * Checks everything runs need besides portals: the Temporal server and this account's permissions, workers, clocks,
 * the store, and `portolan serve` if configured. Writes nothing on a portal; starts one short workflow in Temporal,
 * and writes and removes one test file in the store.
 */
export async function examineCluster(sources: StoredSources): Promise<GuardResult[]> {
  const found = await Promise.all([ofTemporal(sources.config), ofStore(sources), ofServe(sources.config)]);
  return found.flat();
}

async function ofTemporal(config: Config): Promise<GuardResult[]> {
  try {
    return await withTemporal(config, async (temporal) => await examineServer(config, temporal));
  } catch (thrown) {
    return [refusalOf('temporal', PortolanError.from(thrown))];
  }
}

/** Checks of a responding Temporal server and its workers. */
export const examineServer = (config: Config, temporal: TemporalClient): Promise<GuardResult[]> =>
  new Cluster(config, temporal).examine();

/** Checks run separately: an account may lack one right and have the others. */
class Cluster {
  constructor(
    private readonly config: Config,
    private readonly temporal: TemporalClient,
  ) {}

  async examine(): Promise<GuardResult[]> {
    const { taskQueue } = this.config.temporal;
    const seen: SeenWorker[] = [];
    const steps = [
      this.asked('temporal', 'ask the server for its version', () => this.server(), 'may'),
      this.asked('namespace', 'describe the namespace', () => this.namespace(), 'may'),
      this.asked('search attributes', 'list runs', () => this.searchAttributes()),
      this.asked('schedules', 'list schedules', () => this.schedules()),
      ...workKinds(taskQueue).map((kind) =>
        this.asked(`queue of ${kind.takes}`, 'describe task queues', async () => {
          const workers = await seenWorkersOf(this.temporal, kind);
          seen.push(...workers);
          return [this.workers(kind, workers), await this.backlog(kind)];
        }),
      ),
      this.asked('deployment', 'describe worker deployments', () => this.builds()),
      this.asked('clock of temporal', 'start workflows', () => this.clock()),
    ];
    const results = (await Promise.all(steps)).flat();
    return [...results, ...(seen.length > 0 ? [this.versions(seen), this.configurations(seen)] : [])];
  }

  /** @param need `must`: no run goes without it; `may`: only this look does not */
  private async asked(
    name: string,
    right: string,
    look: () => Promise<readonly GuardResult[]>,
    need: 'must' | 'may' = 'must',
  ): Promise<readonly GuardResult[]> {
    try {
      return await look();
    } catch (thrown) {
      const { address, namespace } = this.config.temporal;
      const refused = refusedRight(thrown);
      if (refused === undefined)
        return [refusalOf(name, PortolanError.from(fromTemporal(thrown, address, namespace)))];
      return [
        {
          name,
          saw: `this account is not allowed to ${right}, or this server cannot: ${refused}`,
          ...(need === 'must'
            ? { verdict: 'refuse' as const, code: 'TEMPORAL_UNREACHABLE' }
            : { verdict: 'unknown' as const }),
          needs: `the right to ${right} in namespace "${namespace}"`,
          todo: 'Ask a Temporal operator to grant it to the account of TEMPORAL_API_KEY or of the client certificate.',
        },
      ];
    }
  }

  private async server(): Promise<GuardResult[]> {
    const { serverVersion } = await this.temporal.connection.workflowService.getSystemInfo({});
    const { address } = this.config.temporal;
    const saw = `version ${serverVersion || 'unknown'} responds at ${address}; here: Portolan ${programVersion()} and Node ${process.version}`;
    return [{ name: 'temporal', verdict: 'pass', saw }];
  }

  private async namespace(): Promise<GuardResult[]> {
    const { namespace } = this.temporal;
    const { config, namespaceInfo } = await this.temporal.connection.workflowService.describeNamespace({
      namespace,
    });
    const ttl = config?.workflowExecutionRetentionTtl;
    const keptMs = ttl ? tsToMs(ttl) : 0;
    const kept = `ended runs stay in "${namespace}" for ${durationWords(keptMs)}`;
    const limit = Number(String(namespaceInfo?.limits?.blobSizeLimitError ?? 0));
    return [
      keptMs >= RETENTION_MIN_MS
        ? { name: 'retention', verdict: 'pass', saw: kept }
        : {
            name: 'retention',
            verdict: 'unknown',
            saw: kept,
            needs: `${durationWords(RETENTION_MIN_MS)}, to look up the steps of a run; records stay in the store`,
            todo: isAtCloud(this.temporal.connection)
              ? `Ask an administrator of the namespace to run: tcld namespace retention set --namespace ${namespace} --retention-days 30`
              : `Ask an operator to run: temporal operator namespace update --namespace ${namespace} --retention 30d`,
          },
      limit === 0 || limit >= PAYLOAD_MIN
        ? {
            name: 'payloads',
            verdict: 'pass',
            saw:
              limit === 0
                ? 'the server does not report how large one can be'
                : `up to ${bytesText(limit)} each`,
          }
        : {
            name: 'payloads',
            verdict: 'refuse',
            saw: `up to ${bytesText(limit)} each`,
            needs: bytesText(PAYLOAD_MIN),
            todo: 'Ask a Temporal operator to set limit.blobSize.error to at least that.',
          },
    ];
  }

  private async searchAttributes(): Promise<GuardResult[]> {
    const { connection, namespace } = this.temporal;
    const name = 'search attributes';
    const missing = await missingSearchAttributes(connection, namespace);
    if (missing.length === 0) return [{ name, verdict: 'pass', saw: `all exist in "${namespace}"` }];
    return [
      {
        name,
        verdict: 'refuse',
        code: 'SEARCH_ATTRIBUTES_MISSING',
        saw: `"${namespace}" lacks ${missing.join(', ')}`,
        needs: 'all of them, to find runs. A worker creates them if its account is allowed to',
        todo: registeringWords(connection, namespace, missing),
      },
    ];
  }

  private async schedules(): Promise<GuardResult[]> {
    const { connection, namespace } = this.temporal;
    await connection.workflowService.listSchedules({ namespace, maximumPageSize: 1 });
    return [{ name: 'schedules', verdict: 'pass', saw: 'can be listed' }];
  }

  private workers({ takes, queue }: WorkKind, workers: readonly SeenWorker[]): GuardResult {
    const name = `workers of ${takes}`;
    if (workers.length > 0)
      return { name, verdict: 'pass', saw: `${queue}: ${workers.map(seenWords).join('; ')}` };
    return {
      name,
      verdict: 'refuse',
      code: 'NO_WORKER',
      saw: `no worker accepts work from "${queue}"`,
      needs: 'at least one',
      todo: 'Start one: portolan worker, or portolan up',
    };
  }

  private async backlog({ takes, queue, kind }: WorkKind): Promise<GuardResult> {
    const name = `backlog of ${takes}`;
    const backlog = await backlogOf(this.temporal, queue, kind);
    if (backlog === undefined)
      return { name, verdict: 'pass', saw: 'this server does not report what waits there' };
    const { count, ageMs } = backlog;
    const saw =
      count === 0
        ? 'nothing waits'
        : `${countOf(count, 'task waits', 'tasks wait')}, the oldest for ${durationWords(ageMs)}`;
    if (count === 0 || ageMs < WAITS_MS) return { name, verdict: 'pass', saw };
    return {
      name,
      verdict: 'unknown',
      saw,
      needs: 'workers that take it within a minute',
      todo: 'Start more workers, or raise their limits (temporal.worker). The backlog of a worker version needs a worker of that version.',
    };
  }

  private async builds(): Promise<GuardResult[]> {
    const { deployment: name } = this.config.temporal.worker;
    if (name === undefined) return [];
    const found = await readDeployment(this.temporal, name);
    const words = found?.versions.map(({ buildId, state }) => `${buildId} ${state}`).join(', ');
    if (found?.current !== undefined)
      return [{ name: 'deployment', verdict: 'pass', saw: `${name}: ${words}` }];
    return [
      {
        name: 'deployment',
        verdict: 'refuse',
        code: 'NO_WORKER',
        saw:
          words === undefined
            ? `no worker of the deployment ${name} has ever connected`
            : `${name}: ${words}`,
        needs: 'a current version, which starts runs',
        todo: `Start a worker, then run: ${setCurrentWords(this.temporal.namespace, { deploymentName: name, buildId: 'VERSION' })}`,
      },
    ];
  }

  private versions(seen: readonly SeenWorker[]): GuardResult {
    return sameGuard('worker versions', seen, ({ version }) => version, programVersion(), {
      needs: 'one version, except during an upgrade',
      todo: 'Upgrade all to one version, or pin runs to worker versions: temporal.worker.deployment',
    });
  }

  private configurations(seen: readonly SeenWorker[]): GuardResult {
    return sameGuard('configurations', seen, ({ config }) => config, configMark(this.config), {
      needs: 'the same portals, routes, pipelines and schedules in every portolan.yaml',
      todo: 'Use the same portolan.yaml everywhere; a worker reloads a changed one',
    });
  }

  /** The server writes down when it began a workflow: between the moment before it was asked to and the one after. */
  private async clock(): Promise<GuardResult[]> {
    const before = Date.now();
    const handle = await startWorkerView({ config: this.config, temporal: this.temporal });
    const after = Date.now();
    const { startTime } = await handle.describe();
    return [clockGuard('clock of temporal', startTime.getTime(), { before, after })];
  }
}

const seenWords = ({ name, version, config, build }: SeenWorker): string =>
  [
    name,
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(config === undefined ? [] : [`configuration ${config}`]),
    ...(build === undefined ? [] : [`worker version ${build}`]),
  ].join(', ');

/** Whether all workers report the same value as this machine. */
function sameGuard(
  name: string,
  seen: readonly SeenWorker[],
  of: (worker: SeenWorker) => string | undefined,
  here: string,
  otherwise: { readonly needs: string; readonly todo: string },
): GuardResult {
  const said = [...new Set(seen.map((worker) => of(worker) ?? 'unknown'))];
  if (said.every((each) => each === here)) return { name, verdict: 'pass', saw: `${here} everywhere` };
  return {
    name,
    verdict: 'unknown',
    saw: `workers have ${said.join(', ')}; here it is ${here}`,
    ...otherwise,
  };
}
