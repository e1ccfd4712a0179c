import { z } from 'zod';

/**
 * `manifest.json` of a package. The inside of a package is this simulator's own format: no interface describes it, and
 * no client may read it.
 */
export const manifest = z.object({
  packageVersion: z.string(),
  packageCreated: z.number(),
  fileName: z.string(),
  sourcePortalInfo: z.object({
    httpsUrl: z.string(),
    httpUrl: z.string(),
    version: z.string(),
    portalId: z.string(),
    isPortal: z.boolean(),
  }),
  /** URL of the source's hosting server, which an import replaces. */
  hostingServerUrl: z.string(),
  items: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      title: z.string(),
      size: z.number(),
      created: z.number(),
      modified: z.number(),
      /** Path of its hosted service, such as `server/Hosted/Roads/FeatureServer`. */
      service: z.string().optional(),
    }),
  ),
});
export type Manifest = z.infer<typeof manifest>;

export const entryNames = {
  manifest: 'manifest.json',
  /** One line per item: its record, with small data included. */
  items: 'items.ndjson',
  data: (id: string) => `items/${id}/data`,
  resource: (id: string, path: string) => `items/${id}/resources/${path}`,
  thumbnail: (id: string) => `items/${id}/thumbnail`,
  service: (id: string) => `items/${id}/service.json`,
  features: (id: string, layer: number) => `items/${id}/features/${layer}.ndjson`,
};
