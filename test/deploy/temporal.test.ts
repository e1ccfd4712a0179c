import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json';
import { configurationOf, PORTS } from '../cluster/temporal';
import { readDeployed } from './deployed-files';

const sample = readDeployed('deploy/temporal/server.yaml');

const tls = z.object({ server: z.object({ requireClientAuth: z.literal(true) }) });
const datastore = z.object({
  sql: z.object({
    pluginName: z.literal('postgres12'),
    maxConns: z.number(),
    tls: z.object({ enabled: z.literal(true), enableHostVerification: z.literal(true) }),
  }),
});
/** PostgreSQL for both databases, work in several parts, and certificates on every way. */
const server = z.object({
  persistence: z.object({
    numHistoryShards: z.number().min(4),
    datastores: z.object({ default: datastore, visibility: datastore }),
  }),
  global: z.object({ tls: z.object({ internode: tls, frontend: tls }) }),
  services: z.record(z.string(), z.object({ rpc: z.record(z.string(), z.unknown()) })),
  dynamicConfigClient: z.object({ filepath: z.string() }),
});

describe('the sample of a Temporal server', () => {
  it('has PostgreSQL, at least four shards, and TLS on each connection', () => {
    expect(server.safeParse(parse(sample)).error).toBeUndefined();
  });

  it('opens only the frontend to other machines', () => {
    const { services } = server.parse(parse(sample));
    const open = Object.entries(services).filter(([, { rpc }]) => rpc['bindOnLocalHost'] !== true);
    expect(open.map(([name]) => name)).toEqual(['frontend']);
  });

  it('needs the database connections that the guide names', () => {
    const { persistence, services } = server.parse(parse(sample));
    const { default: ofRuns, visibility } = persistence.datastores;
    const most = Object.keys(services).length * (ofRuns.sql.maxConns + visibility.sql.maxConns);
    expect(readDeployed('docs/guide/cluster.md')).toContain(`\`max_connections\` of ${most}`);
  });

  it('is in the package, with the settings that it names', () => {
    const { dynamicConfigClient } = server.parse(parse(sample));
    expect(dynamicConfigClient.filepath).toBe('/etc/temporal/dynamic-config.yaml');
    expect(manifest.files).toEqual(expect.arrayContaining(['deploy', 'docker/temporal-dynamic-config.yaml']));
  });

  it('has the configuration that `npm run test:cluster` starts', () => {
    const ports = Array.from({ length: PORTS }, (_, at) => 20_001 + at);
    const own = { cert: '/here/own.pem', key: '/here/own.key' };
    const database = { port: 20_000, authority: '/here/ca.pem', own };
    const started: unknown = parse(configurationOf({ folder: '/here', ports, database }));
    const text = JSON.stringify(started);
    expect(text).not.toMatch(/example\.com|\/etc\/|0\.0\.0\.0/);
    for (const port of [20_000, ...ports]) expect(text).toContain(String(port));
    expect(server.safeParse(started).error).toBeUndefined();
  });
});
