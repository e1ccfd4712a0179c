import { z } from 'zod';
import { isLoopback } from './portal-url';

/** As much of the file as the checks between its parts need; what is malformed is somebody else's to report. */
const sketch = z.object({
  portals: z.record(z.string(), z.unknown()).catch({}),
  routes: z
    .record(
      z.string(),
      z
        .object({
          source: z.object({ portal: z.string() }).optional().catch(undefined),
          target: z.object({ portal: z.string() }).optional().catch(undefined),
        })
        .catch({}),
    )
    .catch({}),
});

const plainPortal = z.object({ url: z.url(), insecure: z.boolean().optional().catch(undefined) });

/**
 * Problems between parts of the file. They are looked for beside the schema and not in it, because a schema's
 * own cross checks are left out as soon as anything else is wrong, and all problems belong into one message.
 */
export function crossProblems(given: unknown): string[] {
  const parsed = sketch.safeParse(given);
  if (!parsed.success) return [];
  const { portals, routes } = parsed.data;
  return [
    ...Object.entries(portals).flatMap(([name, portal]) => unencrypted(name, portal)),
    ...Object.keys(routes)
      .filter((name) => name === 'adhoc')
      .map((name) => `routes.${name}: this name is taken by --from … --into …`),
    ...Object.entries(routes).flatMap(([name, { source, target }]) => [
      ...unknownPortal(`routes.${name}.source.portal`, source?.portal, Object.keys(portals)),
      ...unknownPortal(`routes.${name}.target.portal`, target?.portal, Object.keys(portals)),
    ]),
  ];
}

function unencrypted(name: string, given: unknown): string[] {
  const portal = plainPortal.safeParse(given);
  if (!portal.success || portal.data.insecure === true) return [];
  const { protocol, hostname } = new URL(portal.data.url);
  if (protocol !== 'http:' || isLoopback(hostname)) return [];
  return [
    `portals.${name}.url: would send the password unencrypted; use https, or set insecure: true for this portal`,
  ];
}

function unknownPortal(place: string, portal: string | undefined, known: readonly string[]): string[] {
  if (portal === undefined || known.includes(portal)) return [];
  return [`${place}: there is no portal "${portal}"; the portals are: ${known.join(', ') || 'none'}`];
}
