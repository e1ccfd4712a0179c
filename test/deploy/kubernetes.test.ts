import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load-config';
import { searchAttributeNames } from '../../src/model/run/run-id';
import { parseAddress } from '../../src/temporal/dev-server/address';
import { timing } from '../../src/temporal/worker';
import { readDeployed, readSample, root, samples } from './deployed-files';

const base = 'deploy/kubernetes/base';

const probe = z.object({
  httpGet: z.object({
    path: z.string(),
    port: z.string(),
    scheme: z.string().default('HTTP'),
    httpHeaders: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  }),
});
const container = z.looseObject({
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});
const pod = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  securityContext: z.looseObject({ runAsNonRoot: z.boolean() }),
  terminationGracePeriodSeconds: z.number().optional(),
  containers: z.tuple([container]),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});
const object = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ template: z.looseObject({ spec: pod }).optional() }).optional(),
});

const { resources } = z
  .looseObject({ resources: z.array(z.string()) })
  .parse(parse(readDeployed(`${base}/kustomization.yaml`)));
const objects = resources
  .flatMap((file) => parseAllDocuments(readDeployed(`${base}/${file}`), { version: '1.1' }))
  .map((document) => object.parse(document.toJS()));
const named = (kind: string, name: string): z.infer<typeof object> =>
  objects.find((each) => each.kind === kind && each.metadata.name === name)!;
const podOf = (kind: string, name: string): z.infer<typeof pod> => named(kind, name).spec!.template!.spec;

const deployments = { worker: podOf('Deployment', 'worker'), serve: podOf('Deployment', 'serve') };
const pods = [...Object.values(deployments), podOf('Job', 'prepare-temporal')];
const config = loadConfig(path.join(root, samples.kubernetes));

describe('the manifests for Kubernetes', () => {
  it('run no container as root, writable or with a cluster token [P27]', () => {
    for (const each of pods) {
      expect(each.automountServiceAccountToken).toBe(false);
      expect(each.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(each.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('have no secret, and mount secrets as files [P27]', () => {
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const { containers } of pods)
      expect(containers[0].env.filter(({ name }) => /PASSWORD|SECRET|KEY|TOKEN/.test(name))).toEqual([]);
    for (const { containers, volumes } of Object.values(deployments)) {
      const mounted = new Map(containers[0].volumeMounts.map(({ name, mountPath }) => [name, mountPath]));
      const secrets = volumes.filter((volume) => 'secret' in volume).map(({ name }) => mounted.get(name));
      expect(secrets).toContain('/run/secrets/portolan');
    }
    const files = [...readSample('kubernetes').matchAll(/\/run\/secrets\/portolan\/([\w.-]+)/g)];
    const made = readDeployed('docs/guide/install.md');
    for (const [, file] of files) expect(made).toContain(file);
  });

  it('probe workers and servers at their addresses', () => {
    const [worker] = deployments.worker.containers;
    const [serve] = deployments.serve.containers;
    expect(worker.ports).toEqual([
      { name: 'metrics', containerPort: parseAddress(config.metrics!.address).port },
    ]);
    expect(serve.ports).toEqual([{ name: 'https', containerPort: parseAddress(config.serve.address).port }]);
    for (const given of [serve.startupProbe, serve.livenessProbe, serve.readinessProbe])
      expect(given!.httpGet).toMatchObject({
        port: 'https',
        scheme: 'HTTPS',
        httpHeaders: [{ name: 'Host', value: config.serve.address }],
      });
    expect(serve.livenessProbe!.httpGet.path).toBe('/healthz');
    // People look at its page when Temporal, the store or the workers are away: it is not taken from them then.
    expect(serve.readinessProbe!.httpGet.path).toBe('/healthz');
    expect(config.serve.tls?.cert).toBe('/run/secrets/portolan-tls/tls.crt');
  });

  it('give a worker more time to end than it takes, and keep one running', () => {
    for (const { terminationGracePeriodSeconds } of Object.values(deployments))
      expect(terminationGracePeriodSeconds).toBeGreaterThan(parseInt(timing.shutdownForceTime));
    for (const name of Object.keys(deployments))
      expect(named('PodDisruptionBudget', name).spec).toMatchObject({ minAvailable: 1 });
  });

  it('create the search attributes', () => {
    const [{ args, env }] = podOf('Job', 'prepare-temporal').containers;
    for (const name of Object.values(searchAttributeNames)) expect(args.join(' ')).toContain(name);
    expect(env).toEqual([
      { name: 'TEMPORAL_ADDRESS', value: config.temporal.address },
      { name: 'TEMPORAL_NAMESPACE', value: config.temporal.namespace },
    ]);
    expect(readDeployed('docker-compose.yml')).toContain(
      podOf('Job', 'prepare-temporal').containers[0].image,
    );
  });
});
