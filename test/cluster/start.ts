import { startForTests } from '../support/start-temporal';
import { Cluster } from './cluster';

/** A production server in place of the development server that suites have else; they speak to it by certificates. */
export default async function start(): Promise<void> {
  const cluster = await Cluster.start();
  Object.assign(process.env, cluster.variables);
  await startForTests(() => Promise.resolve(cluster));
}
