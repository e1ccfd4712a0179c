import { describe, expect, it } from '@jest/globals';
import { sides, titleOf } from './endpoints';
import { readUndisturbed } from './undisturbed';

const { endpoints, small, inParts } = readUndisturbed(process.env['PORTOLAN_TEST_FAULTS_FOLDER'] ?? '');

const ofBoth = [
  'POST token.generate',
  'GET portal.self',
  'GET group.content',
  'POST group.export',
  'GET job',
];
const ofSource = ['GET item.data, package', 'POST item.delete, package'];
const ofTarget = [
  ...['POST item.add', 'POST item.add, in parts', 'POST item.addPart, package', 'GET item.parts, package'],
  ...['POST item.commit, package', 'GET item.status, package'],
  ...['POST group.import, previewOnly=true', 'GET group.importPreview'],
  ...[
    'POST group.import, previewOnly=false',
    'GET job, after import',
    'POST item.delete, package, after import',
  ],
];

describe('the calls that meet the faults', () => {
  it('are at least those that carry a group from one portal to the other', () => {
    const [source, target] = sides.map((side) =>
      endpoints.filter((endpoint) => endpoint.side === side).map(titleOf),
    );
    expect(source).toEqual(expect.arrayContaining([...ofBoth, ...ofSource]));
    expect(target).toEqual(expect.arrayContaining([...ofBoth, ...ofTarget]));
  });

  it('are taken from syncs that succeeded', () => {
    expect([small, inParts]).toMatchObject([
      { status: 'succeeded', packages: [], gates: [] },
      { status: 'succeeded', packages: [], gates: [] },
    ]);
  });
});
