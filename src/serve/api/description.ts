import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { programVersion } from '../../config/config-mark';
import { action, errorRecord, fieldChange, phaseRecord, runRecord } from '../../model/run/run';
import {
  snapshotBase,
  snapshotPin,
  snapshotProof,
  snapshotRow,
  snapshotSource,
} from '../../model/snapshot/snapshot';
import { change } from '../../model/transfer/change';
import { ledgerEntry } from '../../model/transfer/ledger';
import { plan, planRow } from '../../model/transfer/plan';
import { portalQueueView } from '../../contract/queues';
import { runRow } from '../../contract/run-row';
import { runView } from '../../contract/runs';
import { begunRun, takeoverView } from '../../contract/starts';
import { itemDiff, snapshotShown } from '../../contract/snapshots';
import { statusView } from '../../contract/status';

/** Schemas that appear in many places: the description names them, so that each is written once. */
const named = {
  Decision: action,
  FieldChange: fieldChange,
  ItemChange: change,
  ItemDiff: itemDiff,
  ItemResult: ledgerEntry,
  Phase: phaseRecord,
  Plan: plan,
  PlanRow: planRow,
  PortalQueue: portalQueueView,
  RunError: errorRecord,
  RunRecord: runRecord,
  RunRow: runRow,
  RunView: runView,
  Snapshot: snapshotShown,
  SnapshotParent: snapshotBase,
  SnapshotPin: snapshotPin,
  SnapshotProof: snapshotProof,
  SnapshotRow: snapshotRow,
  SnapshotSource: snapshotSource,
  StartedRun: begunRun,
  Status: statusView,
  Takeover: takeoverView,
};
for (const [id, schema] of Object.entries(named)) z.globalRegistry.add(schema, { id });

/** `GET /openapi.json`, made from the schemas that check requests and answers. @param base public URL of the server */
export async function describeApi(api: FastifyInstance, base: () => string): Promise<void> {
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Portolan',
        version: programVersion(),
        description: 'What `portolan … -o json` says, over HTTP.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }, {}],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  api.get('/openapi.json', { schema: { hide: true } }, () => ({
    ...withoutUnused(api.swagger() as Described),
    servers: [{ url: base() }],
  }));
}

interface Described {
  readonly paths?: unknown;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/** Each named schema is described as sent and as answered; most are only one of the two. */
function withoutUnused(document: Described): Described {
  const { schemas = {}, ...components } = document.components ?? {};
  const used: Record<string, unknown> = {};
  const use = (described: unknown): void => {
    for (const [, name = ''] of JSON.stringify(described).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in used) continue;
      used[name] = schemas[name];
      use(schemas[name]);
    }
  };
  use(document.paths);
  return { ...document, components: { ...components, schemas: used } };
}
