import type { GuardResult } from '../../../model/run/guard';
import { compareReleases, type Release } from '../../../portal/http/versions';
import type { PortalFacts } from '../portal-facts';
import { pass, refuse, unknown } from './verdict';

/** First release with group export and import: docs/reference/portal-interface.md, "Versions". */
const first = { major: 10, minor: 8, patch: 1, text: '10.8.1' } as const;

/** Group export and import exist on self-managed portals only. */
export function selfManaged(facts: PortalFacts): GuardResult {
  const name = `deployment of ${facts.name}`;
  if (facts.isPortal === true) return pass(name, 'self-managed');
  const needs = 'ArcGIS Enterprise';
  if (facts.isPortal === false) {
    return refuse(name, 'NOT_SELF_MANAGED', {
      saw: `${facts.name} is ArcGIS Online`,
      needs,
      todo: 'Use an ArcGIS Enterprise portal in the route; ArcGIS Online cannot export or import groups.',
    });
  }
  return unknown(name, {
    saw: `${facts.name} does not report how it is deployed`,
    needs,
    todo: 'Check that its url leads to an ArcGIS Enterprise portal.',
  });
}

/** Each end must run 10.8.1 or later. */
export function newEnough(facts: PortalFacts): GuardResult {
  const name = `version of ${facts.name}`;
  const needs = `${first.text} or later`;
  if (facts.release === undefined) {
    return unknown(name, {
      saw:
        facts.version === '' ? `${facts.name} reports no version` : `version "${facts.version}" is unknown`,
      needs,
      todo: `Check the version of ${facts.name} yourself.`,
    });
  }
  if (compareReleases(facts.release, first) >= 0) return pass(name, facts.release.text);
  return refuse(name, 'VERSION_TOO_OLD', {
    saw: `${facts.name} runs ${facts.release.text}`,
    needs,
    todo: `Upgrade ${facts.name}; older portals cannot export or import groups.`,
  });
}

/** A package is imported by the release that made it, or by a later one. */
export function releaseOrder(source: PortalFacts, target: PortalFacts): GuardResult {
  const name = 'version order';
  const needs = "the source's version or later on the target";
  if (source.release === undefined || target.release === undefined || isOpen(source, target)) {
    return unknown(name, {
      saw: `${source.name} ${source.release?.text ?? '?'}, ${target.name} ${target.release?.text ?? '?'}`,
      needs,
      todo: 'Compare the two versions yourself; an older target refuses the package.',
    });
  }
  const saw = `${source.release.text} -> ${target.release.text}`;
  if (compareKnown(source.release, target.release) <= 0) return pass(name, saw);
  return refuse(name, 'TARGET_OLDER', {
    saw: `${target.name} runs ${target.release.text}, older than ${source.release.text} on ${source.name}`,
    needs,
    todo: `Upgrade ${target.name} to ${source.release.text} or later.`,
  });
}

/** Whether one is only known to run a release "or later", which may lie before the other's or after it. */
function isOpen(source: PortalFacts, target: PortalFacts): boolean {
  if (!source.release || !target.release) return true;
  const order = compareKnown(source.release, target.release);
  if (source.release.orLater) return order <= 0 && source.version !== target.version;
  return target.release.orLater === true && order > 0;
}

/**
 * From 11 on the third number is a patch, and only some portals tell it: then what both tell is compared.
 * Before, it makes a release of its own, such as 10.9.1.
 */
function compareKnown(a: Release, b: Release): number {
  const patched = a.major >= 11 && a.major === b.major && a.minor === b.minor;
  return patched && (a.patch === 0 || b.patch === 0) ? 0 : compareReleases(a, b);
}

/**
 * An export makes an item on the source. Whether a read-only portal lets it is documented by nobody, so
 * that the portal decides: docs/reference/portal-interface.md, "Portal" and "Export".
 */
export function packable(facts: PortalFacts): GuardResult {
  const name = `writing to ${facts.name}`;
  if (!facts.readOnly) return pass(name, 'not read-only');
  return unknown(name, {
    saw: `${facts.name} is read-only, but an export creates its package there as an item`,
    needs: 'a portal that accepts changes',
    todo: `If the export fails, turn off read-only mode of ${facts.name}.`,
  });
}

/** Nothing can be created, changed or deleted on a read-only portal: docs/reference/portal-interface.md, "Portal". */
export function writable(facts: PortalFacts): GuardResult {
  const name = `writing to ${facts.name}`;
  if (!facts.readOnly) return pass(name, 'not read-only');
  return refuse(name, 'TARGET_READ_ONLY', {
    saw: `${facts.name} is read-only`,
    needs: 'a portal that accepts changes',
    todo: `Turn off read-only mode of ${facts.name}.`,
  });
}
