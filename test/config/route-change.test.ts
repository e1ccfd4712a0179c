import { describe, expect, it } from '@jest/globals';
import { changeKeys, parseRouteChange } from '../../src/config/route-change';

/** Requires that corrections are refused with these words. */
const refused = (texts: string[], plainMessage: string) =>
  expect(() => parseRouteChange(texts)).toThrow(
    expect.objectContaining({ code: 'USAGE', plainMessage, hint: keys }),
  );

const keys =
  'Allowed keys: target.folder, target.folderOwner, overwrite, data, jobDeadline, limits.freeDiskBytes.';

describe('a correction of a run', () => {
  it('has the keys and units of portolan.yaml', () => {
    expect(
      parseRouteChange([
        'target.folder=5f2c-a1',
        'target.folderOwner=svc maps',
        'overwrite=true',
        'data=replace',
        'jobDeadline=36h',
        'limits.freeDiskBytes=5GB',
      ]),
    ).toEqual({
      folderId: '5f2c-a1',
      folderOwner: 'svc maps',
      overwrite: true,
      data: 'replace',
      jobDeadlineMs: 129_600_000,
      freeDiskBytes: 5 * 1024 ** 3,
    });
    expect(parseRouteChange(['overwrite=false'])).toEqual({ overwrite: false });
    expect(parseRouteChange([])).toBeUndefined();
  });

  it('removes a folder and its owner with an empty value', () => {
    expect(parseRouteChange(['target.folder=', 'target.folderOwner='])).toEqual({
      folderId: null,
      folderOwner: null,
    });
  });

  it.each([
    ['target.folder=a/b', 'target.folder: is not a folder id: letters, digits and hyphens only'],
    ['overwrite=maybe', 'overwrite: write true or false'],
    ['overwrite=', 'overwrite: write true or false'],
    ['data=drop', 'data: write keep or replace'],
    ['jobDeadline=6', 'jobDeadline: write a duration with a unit, such as 90s, 6h or 7d'],
    ['limits.freeDiskBytes=little', 'limits.freeDiskBytes: write a size such as 500MB or 5GB'],
    ['target.group=g', 'target.group: unknown setting'],
    ['overwrite', '"overwrite": write KEY=VALUE'],
    ['=true', '"=true": write KEY=VALUE'],
  ])('is refused when it is invalid: %s', (text, problem) => {
    refused([text], `--set has 1 problem:\n  ${problem}`);
  });

  it('is refused with all problems and the allowed keys', () => {
    refused(
      ['data=keep', 'data=replace', 'folder=x', 'overwrite=1'],
      `--set has 3 problems:
  data: is set twice
  overwrite: write true or false
  folder: unknown setting`,
    );
    expect(changeKeys).toHaveLength(6);
  });
});
