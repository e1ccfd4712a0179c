const serviceTypes =
  'FeatureServer|MapServer|ImageServer|SceneServer|VectorTileServer|GeocodeServer|GPServer|NAServer|' +
  'GeometryServer|StreamServer|GeoDataServer|WFSServer|WMSServer|KmlServer|MobileServer|ElevationServer';

const servicePattern = new RegExp(`^(.*?/(?:${serviceTypes}))(?:/(\\d+))?(?:[/?#].*)?$`, 'is');

/** A service's address taken apart: its root, and the layer where one is named. */
export interface ServiceAddress {
  readonly root: string;
  readonly layerId?: number;
}

/** Takes an address of a map, feature or other service apart; `undefined` for any other address. */
export function serviceAddress(address: string): ServiceAddress | undefined {
  const match = servicePattern.exec(address.trim());
  const root = match?.[1];
  if (root === undefined) return undefined;
  return match?.[2] === undefined ? { root } : { root, layerId: Number(match[2]) };
}

/** A service's path on whichever server serves it, by which its addresses are told to be one's. */
export function serviceKey(address: string): string | undefined {
  const root = serviceAddress(address)?.root.toLowerCase();
  return root === undefined ? undefined : /\/rest\/services\/(.+)$/s.exec(root)?.[1];
}

const itemIdPatterns = [
  /\/items\/([0-9a-f]{32})(?:[/?#]|$)/i,
  /[?&](?:id|appid|webmap|webscene|itemid|layers)=([0-9a-f]{32})(?:[&#]|$)/i,
  /\/(?:apps|experience|stories|dashboards)\/(?:[\w-]+\/)*([0-9a-f]{32})(?:[/?#]|$)/i,
];

/** No portal makes an address as long as this: what comes after it decides nothing. @format characters */
export const ADDRESS_MAX = 8_192;

/** The item that an address of a portal leads to, such as `…/items/<id>` or `…?appid=<id>`. */
export function itemIdInAddress(address: string): string | undefined {
  for (const pattern of itemIdPatterns) {
    const id = pattern.exec(address.slice(0, ADDRESS_MAX))?.[1];
    if (id !== undefined) return id.toLowerCase();
  }
  return undefined;
}
