import { noResource, tokenRequired } from '../errors';
import { administrator, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { read, type Route } from '../http/router';
import { more } from '../wire';

const admin = '/portal/portaladmin';
const machineName = 'PORTAL01.EXAMPLE.COM';
const totalGb = 500;
/** Below this much free space the portal warns. @format gigabytes */
const warnBelowGb = 5;

/** The administration of the portal's machines, with its own error format (docs/reference/portal-interface.md, "Disk"). */
export const administrationRoutes: readonly Route[] = [
  read('admin.health', `${admin}/healthCheck`, () => json({ status: 'success' })),
  read('machines.list', `${admin}/machines`, machines),
  read('machines.status', `${admin}/machines/status/:machine`, status),
  read('machines.hardware', `${admin}/machines/:machine/hardware`, hardware),
  read('admin.about', `${admin}/about`, about),
];

/** In a POST, only a token in the body counts. */
function allowed(call: Call): void {
  if (call.method === 'POST' && call.tokenBy !== undefined && call.tokenBy !== 'form') throw tokenRequired();
  administrator(call);
}

function machines(call: Call): Reply {
  allowed(call);
  return json({ machines: [{ machineName }] });
}

function status(call: Call): Reply {
  allowed(call);
  checkMachine(call);
  return json({ status: 'success' });
}

function checkMachine({ path }: Call): void {
  if (path['machine']?.toUpperCase() !== machineName) throw noResource();
}

/** Since 11.3. */
function hardware(call: Call): Reply {
  allowed(call);
  checkMachine(call);
  if (!call.settings.release.atLeast('11.3')) throw noResource();
  return json(hardwareOf(call));
}

function hardwareOf({ settings, world }: Call): object {
  const usage = (freeGb: number, directory: string, path: string): object => ({
    mount: '/',
    diskTotalSpaceGB: totalGb,
    diskUsableSpaceGB: freeGb,
    exceededDiskSpaceThreshold: freeGb < warnBelowGb,
    directoryType: directory,
    path,
  });
  return {
    osInformation: 'Linux',
    cpuInformation: 'simulated',
    systemMemory: 16384,
    systemMemoryAvailable: 8192,
    physicalProcessorCount: 2,
    logicalProcessorCount: 4,
    localDiskUsage: [
      usage(totalGb / 2, 'logs', '/arcgis/portal/usr/arcgisportal/logs'),
      usage(settings.freeGb, 'content', '/arcgis/portal/usr/arcgisportal/content'),
    ],
    ...more(settings, { machineTime: world.now() }),
  };
}

/** Since 11.5. */
function about(call: Call): Reply {
  allowed(call);
  if (!call.settings.release.atLeast('11.5')) throw noResource();
  return json({ portal: [{ machineName, hardware: hardwareOf(call) }] });
}
