import { expect } from '@jest/globals';
import { newEnough, selfManaged, folderThere } from '../../../src/domain/transfer/guards/portal';
import { importGroup } from '../../../src/portal/resources/group-import';
import { readSettings, writeSettings } from '../../../src/portal/resources/settings';
import { updateTaskRun } from '../../../src/portal/resources/tasks';
import type { Row, Section, Wire } from '../row';
import type { Site } from '../site';
import { exported } from '../transfers';
import { banner, notice, sent } from './settings';

const settings: Wire = { operation: 'settings.update' };

const importOn = async (site: Site) => {
  const { groupId } = await site.plant();
  const itemId = 'f'.repeat(32);
  const request = { itemId, overwriteExistingItems: false, async: true, version: site.version };
  return importGroup(site.as('owner'), groupId, request);
};

const versions: readonly Row[] = [
  {
    statement: 'Export exists from 10.8.1 on.',
    wire: { operation: 'group.export' },
    check: async (world) => {
      const site = await world.at('10.8.1');
      expect((await exported(site, (await site.plant([{ type: 'CSV' }])).groupId)).phase).toBe('succeeded');
    },
  },
  {
    statement: 'Import exists from 10.8.1 on.',
    wire: { operation: 'group.import', params: { itemId: /./ }, errorCode: 400 },
    check: async (world) => {
      // It is there, and looks for the package, which is not.
      await expect(importOn(await world.at('10.8.1'))).rejects.toMatchObject({
        facts: { messageCode: 'CONT_0001' },
      });
    },
  },
  {
    statement: 'Portolan refuses a portal below 10.8.1, and says what it runs.',
    wire: [{ operation: 'portal.self' }, { unsent: 'group.export' }],
    check: async (world) => {
      expect(newEnough(await (await world.at('10.8')).facts())).toMatchObject({
        verdict: 'refuse',
        code: 'VERSION_TOO_OLD',
        saw: expect.stringContaining('10.8'),
      });
      expect(newEnough(await (await world.at('10.8.1')).facts()).verdict).toBe('pass');
    },
  },
  {
    statement: 'The change of a task run exists from 10.8.1 on.',
    wire: { operation: 'taskRun.update' },
    check: async (world) => {
      const site = await world.at('10.8.1');
      await updateTaskRun(site.as('owner'), { ...site.task(), status: 'failed', result: '' });
    },
  },
  {
    statement: 'On 10.8 a task run cannot be changed.',
    wire: { operation: 'taskRun.update', errorCode: 404 },
    check: async (world) => {
      const site = await world.at('10.8');
      const request = { ...site.task(), status: 'failed', result: '' } as const;
      await expect(updateTaskRun(site.as('owner'), request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  },
  {
    statement:
      'Portolan refuses a route that names a folder on a target below 10.9, before anything is exported.',
    wire: { unsent: 'group.import' },
    check: async (world) => {
      const into = { folderId: 'f'.repeat(32) };
      const site = await world.at('10.8.1');
      const result = await folderThere(site.as('owner'), into, await site.facts());
      expect(result).toMatchObject({ verdict: 'refuse', code: 'NOT_SUPPORTED' });
    },
  },
  {
    statement: '`portalConfigProperties` exists from 11.0 on.',
    wire: { ...settings, params: { portalConfigProperties: /tokenExpiration/ } },
    check: async (world) => {
      const site = await world.at('11.0');
      await sent(site, { portalConfigProperties: { tokenExpiration: 45 } });
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({
        portalConfigProperties: { tokenExpiration: 45 },
      });
    },
  },
  {
    statement: 'Below 11.0 there is no `portalConfigProperties`: Portolan refuses to send it.',
    wire: { unsent: 'settings.update' },
    check: async (world) => {
      const site = await world.at('10.9.1');
      await expect(sent(site, { portalConfigProperties: { tokenExpiration: 45 } })).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
      });
    },
  },
  {
    statement: '`iotViewerUrl` exists from 11.1 on: at 11.0 Portolan refuses to send it.',
    wire: { unsent: 'settings.update' },
    check: async (world) => {
      const iotViewerUrl = 'https://iot.example.com';
      await expect(
        sent(await world.at('11.0'), { portalConfigProperties: { iotViewerUrl } }),
      ).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
      });
    },
  },
  {
    statement:
      'Notices and banner name no release; _relied on_: 10.8.1, the first that Portolan works with, has them.',
    wire: { ...settings, params: { anonymousAccessNotice: /Terms/, informationalBanner: /Import/ } },
    check: async (world) => {
      const site = await world.at('10.8.1');
      await sent(site, { anonymousAccessNotice: notice, informationalBanner: banner });
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({
        anonymousAccessNotice: notice,
        informationalBanner: banner,
      });
    },
  },
];

const deployments: readonly Row[] = [
  {
    statement: 'Portolan refuses the hosted deployment for either end before it asks for anything.',
    wire: [{ operation: 'portal.self' }, { unsent: 'group.export' }, { unsent: 'group.import' }],
    check: async (world) => {
      expect(selfManaged(await (await world.hosted()).facts())).toMatchObject({
        verdict: 'refuse',
        code: 'NOT_SELF_MANAGED',
      });
      expect(selfManaged(await (await world.at()).facts()).verdict).toBe('pass');
    },
  },
  {
    statement: '`anonymousAccessNotice` and `informationalBanner` are taken by the hosted deployment too.',
    wire: { ...settings, params: { anonymousAccessNotice: /Terms/, informationalBanner: /Import/ } },
    check: async (world) => {
      const site = await world.hosted();
      await sent(site, { anonymousAccessNotice: notice, informationalBanner: banner });
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({
        anonymousAccessNotice: notice,
        informationalBanner: banner,
      });
    },
  },
  {
    statement: '`authenticatedAccessNotice` is supported by the hosted deployment.',
    wire: { ...settings, params: { authenticatedAccessNotice: /Terms/ } },
    check: async (world) => {
      const site = await world.hosted();
      await sent(site, { authenticatedAccessNotice: notice });
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({
        authenticatedAccessNotice: notice,
      });
    },
  },
  {
    statement:
      '`authenticatedAccessNotice` is not supported by a self-managed portal: Portolan refuses to send it there.',
    wire: { unsent: 'settings.update' },
    check: async (world) => {
      await expect(sent(await world.at(), { authenticatedAccessNotice: notice })).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
      });
    },
  },
  {
    statement:
      '`portalConfigProperties` is not supported by the hosted deployment: Portolan refuses to send it there.',
    wire: { unsent: 'settings.update' },
    check: async (world) => {
      const portalConfigProperties = { tokenExpiration: 45 };
      await expect(sent(await world.hosted(), { portalConfigProperties })).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
      });
    },
  },
  {
    statement:
      'Where a portal does not report how it is deployed, it decides itself about settings (_relied on_).',
    wire: { ...settings, params: { portalConfigProperties: /tokenExpiration/ } },
    check: async (world) => {
      const site = await world.at();
      const portalConfigProperties = { tokenExpiration: 45 };
      const holder = { version: site.version };
      await writeSettings(site.as('admin'), site.orgId, { portalConfigProperties }, holder);
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({ portalConfigProperties });
    },
  },
];

export const versionSection: Section = { title: 'Releases', rows: versions };
export const deploymentSection: Section = { title: 'Deployments', rows: deployments };
