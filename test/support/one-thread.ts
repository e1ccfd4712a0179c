import { promiseHooks } from 'node:v8';
import { Script } from 'node:vm';

/** Marks that calls into workflow code are not watched any more; suites that follow in the process find it. */
const unwatched = Symbol.for('portolan.unwatched');

/**
 * Starts a worker that runs workflows in this thread: one for workflows alone, as workers have it elsewhere, loads the
 * SDK once more for every site, a sixth of the work of a sync. In one thread the SDK would also note the stack of
 * each promise of the whole process, for a query that no test asks, and start a thread beside each call into a
 * workflow, to end it after 49 days; both cost more than the workflows themselves, and are left out.
 */
export async function inOneThread<T>(start: () => Promise<T>): Promise<T> {
  stopWatching();
  process.env['TEMPORAL_DEBUG'] = 'true';
  const { createHook } = promiseHooks;
  promiseHooks.createHook = () => () => undefined;
  try {
    return await start();
  } finally {
    promiseHooks.createHook = createHook;
    delete process.env['TEMPORAL_DEBUG'];
  }
}

function stopWatching() {
  if (unwatched in Script.prototype) return;
  const { runInContext } = Script.prototype;
  Object.assign(Script.prototype, {
    [unwatched]: true,
    runInContext(this: Script, ...[context, options]: Parameters<Script['runInContext']>) {
      return runInContext.call(this, context, { ...options, timeout: undefined }) as unknown;
    },
  });
}
