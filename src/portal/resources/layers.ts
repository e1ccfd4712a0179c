import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { withoutTrailingSlashes } from '../../model/identity';
import type { Portal } from '../client';
import { label, number, readableOf, toList } from '../http/reading';
import type { CallOptions } from '../http/request';

const entry = z.looseObject({ id: number, name: label });
const service = z.looseObject({ layers: z.unknown(), tables: z.unknown() });

interface ServiceLayer {
  readonly id: number;
  readonly name?: string;
}

export interface Service {
  readonly layers: ServiceLayer[];
  readonly tables: ServiceLayer[];
  /** Layers and tables that it lists without an id, by which they could be asked. */
  readonly unnamed: number;
}

/** The layers and tables of a feature service. docs/reference/portal-interface.md, "Layers" */
export async function readService(
  portal: Portal,
  serviceUrl: string,
  options?: CallOptions,
): Promise<Service> {
  const answer = await portal.call(
    {
      operation: 'service.read',
      below: 'service',
      path: withoutTrailingSlashes(serviceUrl),
      schema: service,
    },
    options,
  );
  const layers = withIds(answer.layers);
  const tables = withIds(answer.tables);
  const listed = toList(answer.layers).length + toList(answer.tables).length;
  return { layers, tables, unnamed: listed - layers.length - tables.length };
}

/**
 * Layers and tables of a feature service alike.
 * @throws PortolanError BAD_RESPONSE if it lists one without an id, which nobody can count or date
 */
export async function listLayers(
  portal: Portal,
  serviceUrl: string,
  options?: CallOptions,
): Promise<ServiceLayer[]> {
  const { layers, tables, unnamed } = await readService(portal, serviceUrl, options);
  if (unnamed === 0) return [...layers, ...tables];
  throw new PortolanError('BAD_RESPONSE', 'The service lists a layer without an ID.', {
    portal: portal.name,
    operation: 'service.read',
  });
}

/**
 * Rows of a layer or table.
 * @throws PortolanError BAD_RESPONSE where the answer holds no count: no answer is not zero
 */
export async function countFeatures(
  portal: Portal,
  serviceUrl: string,
  layerId: number,
  options?: CallOptions,
): Promise<number> {
  const { count } = await portal.call(
    {
      operation: 'layer.count',
      below: 'service',
      path: `${withoutTrailingSlashes(serviceUrl)}/${layerId}/query`,
      params: { where: '1=1', returnCountOnly: true },
      schema: z.looseObject({ count: number }),
    },
    options,
  );
  if (count === undefined) {
    throw new PortolanError('BAD_RESPONSE', `Layer ${layerId} returned no row count.`, {
      portal: portal.name,
      operation: 'layer.count',
    });
  }
  return count;
}

const layer = z.looseObject({
  id: number,
  name: label,
  geometryType: label,
  fields: z.array(z.unknown()).nullish().catch(undefined),
  editingInfo: z.looseObject({ lastEditDate: number, schemaLastEditDate: number }).nullish().catch(undefined),
});

export interface Layer {
  readonly name?: string;
  /** @format milliseconds since the epoch; absent where the layer is not editable */
  readonly lastEditDate?: number;
  /** Sha256 over its geometry type, its fields, and when they were last changed; absent where it does not tell its fields. */
  readonly schema?: string;
  /** What it says of its geometry and fields; absent where it does not tell its fields. */
  readonly definition?: { readonly geometryType?: string; readonly fields: readonly unknown[] };
}

/** A layer's own record. docs/reference/portal-interface.md, "Layers" */
export async function readLayer(
  portal: Portal,
  serviceUrl: string,
  layerId: number,
  options?: CallOptions,
): Promise<Layer> {
  const answer = await portal.call(
    {
      operation: 'layer.read',
      below: 'service',
      path: `${withoutTrailingSlashes(serviceUrl)}/${layerId}`,
      schema: layer,
    },
    options,
  );
  const { name, geometryType, fields, editingInfo } = answer;
  const shape = [geometryType, fields, editingInfo?.schemaLastEditDate];
  return {
    name,
    lastEditDate: editingInfo?.lastEditDate,
    schema: fields ? createHash('sha256').update(JSON.stringify(shape)).digest('hex') : undefined,
    definition: fields ? { geometryType, fields } : undefined,
  };
}

const entries = readableOf(entry);

const withIds = (value: unknown): ServiceLayer[] =>
  entries.parse(value).flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name }]));
