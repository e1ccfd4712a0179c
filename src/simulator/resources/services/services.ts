import { maySeeItem } from '../../access';
import { noResource, PortalFault, tokenRequired } from '../../errors';
import type { Call } from '../../http/call';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { LayerRecord, ServiceRecord } from '../../state/records';
import { more } from '../../wire';

/** Feature and map services of the federated servers (docs/reference/portal-interface.md, "Layers"). */
export const serviceRoutes: readonly Route[] = [
  read('server.info', '/:server/rest/info', serverInfo),
  read('layer.query', '/:server/rest/services/:folder/:name/:kind/:layerId/query', query),
  read('layer.read', '/:server/rest/services/:folder/:name/:kind/:layerId', readLayer),
  read('service.read', '/:server/rest/services/:folder/:name/:kind', readService),
];

/** The portal a server belongs to, and its token service. */
function serverInfo({ world, path }: Call): Reply {
  if (path['server'] !== 'server' && path['server'] !== 'gis') throw noResource();
  return json({
    currentVersion: 11.2,
    owningSystemUrl: world.portalUrl,
    authInfo: { isTokenBasedSecurity: true, tokenServicesUrl: `${world.sharingUrl}/generateToken` },
  });
}

/** Services have their own messages for "not found" and "token required". */
export function serviceOf(call: Call): ServiceRecord {
  const { world, path, session, user } = call;
  const desired = [path['server'], path['folder'], path['name'], path['kind']].join('/');
  const service = world.services.get(desired);
  const name = `${path['folder'] ?? ''}/${path['name'] ?? ''}`;
  if (!service) throw new PortalFault(404, `Service ${name}/${path['kind'] ?? ''} not found`);
  const item = service.itemId === undefined ? undefined : world.items.get(service.itemId);
  if (service.itemId !== undefined && (!item || item.deletedAt !== undefined)) {
    throw new PortalFault(404, `Service ${name}/${path['kind'] ?? ''} not found`);
  }
  if (!item || maySeeItem(world, item, user)) return service;
  if (!session) throw tokenRequired();
  throw new PortalFault(403, 'User does not have permissions to access this service.');
}

/** A layer or table of a service. @throws PortalFault 404 */
export function layerOf(call: Call, service: ServiceRecord): LayerRecord {
  const id = Number(call.path['layerId']);
  const layer = [...service.layers, ...service.tables].find((one) => one.id === id);
  if (!layer) throw new PortalFault(404, 'Layer not found');
  return layer;
}

const brief = (layer: LayerRecord): object => ({ id: layer.id, name: layer.name });

function readService(call: Call): Reply {
  const service = serviceOf(call);
  return json({
    ...more(call.settings, {
      currentVersion: 11.2,
      serviceDescription: '',
      hasVersionedData: false,
      maxRecordCount: 2000,
      supportedQueryFormats: 'JSON',
      capabilities: 'Query,Editing',
      spatialReference: { wkid: 102100 },
    }),
    layers: service.layers.map(brief),
    tables: service.tables.map(brief),
  });
}

function readLayer(call: Call): Reply {
  const service = serviceOf(call);
  const layer = layerOf(call, service);
  const tells = !call.settings.noEditDates.includes(service.itemId ?? '');
  return json({
    id: layer.id,
    name: layer.name,
    ...(tells && layer.lastEditDate !== undefined && { editingInfo: { lastEditDate: layer.lastEditDate } }),
    ...more(call.settings, {
      type: layer.geometryType === undefined ? 'Table' : 'Feature Layer',
      geometryType: layer.geometryType,
      fields: layer.fields,
      objectIdField: 'OBJECTID',
    }),
  });
}

const mostRecords = 2000;

async function query(call: Call): Promise<Reply> {
  const { world, params } = call;
  const service = serviceOf(call);
  const layer = layerOf(call, service);
  if (params.text('where') === undefined && params.text('objectIds') === undefined) {
    throw new PortalFault(400, 'Cannot perform query. Invalid query parameters.', {
      details: ["'where' clause is missing"],
    });
  }
  if (params.flag('returnCountOnly') === true) return json({ count: layer.count });
  const path = world.files.featuresPath(service.itemId ?? '', layer.id);
  const lines = ((await world.files.readText(path)) ?? '').split('\n').filter((line) => line !== '');
  const offset = params.integer('resultOffset') ?? 0;
  const number = Math.min(mostRecords, params.integer('resultRecordCount') ?? mostRecords);
  const features = lines.slice(offset, offset + number).map((line) => JSON.parse(line) as object);
  return json({
    objectIdFieldName: 'OBJECTID',
    fields: layer.fields,
    features,
    exceededTransferLimit: offset + number < lines.length,
  });
}
