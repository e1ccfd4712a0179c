import { denied, noResource } from '../errors';
import { isAdministrator } from '../access';
import { signedIn, type Call } from '../http/call';
import { json, type Reply } from '../http/reply';
import { read, type Route } from '../http/router';
import { checkPortalId } from './portals';

/** Status of export and import jobs (docs/reference/portal-interface.md, "Jobs"). */
export const jobRoutes: readonly Route[] = [
  read('job', '/portal/sharing/rest/portals/:portalId/jobs/:jobId', lookUp),
];

/** Administrators need only the ID; others also need the job's key. */
async function lookUp(call: Call): Promise<Reply> {
  checkPortalId(call, call.path['portalId'] ?? '');
  const user = signedIn(call);
  const job = call.world.jobs.get(call.path['jobId'] ?? '');
  if (!job) throw noResource();
  const key = call.params.text('key');
  const knowsKey = key !== undefined && call.world.matches(key, job.keyHash);
  if (!isAdministrator(user) && !knowsKey) throw denied();
  return json(await call.jobs.look(job.id));
}
