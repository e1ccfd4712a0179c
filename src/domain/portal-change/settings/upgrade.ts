import { settingField, settingObject } from '../../../model/portal-change/portal-settings';
import { compareReleases, type Release, releaseFrom } from '../../../portal/http/versions';
import type { SettingChange } from './differences';

export interface UpgradeLosses {
  /** Paths of differences that come of the upgrade. */
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Which differences between a portal and a file of an older version come of the upgrade in between: values that no
 * upgrade keeps, and those that older releases had in a file of their own. docs/reference/portal-interface.md, "Settings"
 *
 * @param version that the file says it was exported from
 */
export function upgradeLosses(
  changes: readonly SettingChange[],
  version: string | undefined,
  release: Release | undefined,
): UpgradeLosses {
  const before = releaseFrom(version);
  if (!before || !release || compareReleases(before, release) >= 0) return { dropped: [], notes: [] };
  const lies = (since: string): boolean => {
    const border = releaseFrom(since);
    return (
      border !== undefined && compareReleases(before, border) < 0 && compareReleases(border, release) <= 0
    );
  };
  const isDropped = ({ object, name }: SettingChange): boolean => {
    const { notCarriedInto } = settingObject(object);
    if (settingField(object, name)?.isLostOnUpgrade) return true;
    return notCarriedInto !== undefined && lies(notCarriedInto);
  };
  const properties = settingObject('portalConfigProperties').notCarriedInto;
  const notes =
    properties !== undefined &&
    lies(properties) &&
    !changes.some(({ object }) => object === 'portalConfigProperties')
      ? [
          `${before.text} kept its properties in a file of its own, which the upgrade to ${properties} left behind: what was set there has to be set again, as portalConfigProperties`,
        ]
      : [];
  return { dropped: changes.filter(isDropped).map(({ path }) => path), notes };
}
