import { AsyncLocalStorage } from 'node:async_hooks';

/** Where the process keeps what the suites before this one have used. */
const used = Symbol.for('portolan.usedStorages');

type Prototype = AsyncLocalStorage<unknown> & { [used]?: Set<AsyncLocalStorage<unknown>> };

/**
 * Node 20 and 22 pass every storage of the process on to whatever asynchronous begins, also one that nobody can read
 * any more. Each suite makes some anew, jest's own among them: without this, those of all suites before it would cost
 * the later ones a tenth of their time.
 */
const prototype = AsyncLocalStorage.prototype as Prototype;
for (const storage of prototype[used] ?? []) storage.disable();

if (prototype[used] === undefined) {
  const { run, enterWith } = prototype;
  Object.assign(prototype, {
    run(this: AsyncLocalStorage<unknown>, ...args: Parameters<typeof run>) {
      prototype[used]?.add(this);
      return run.apply(this, args);
    },
    enterWith(this: AsyncLocalStorage<unknown>, ...args: Parameters<typeof enterWith>) {
      prototype[used]?.add(this);
      enterWith.apply(this, args);
    },
  });
}
prototype[used] = new Set();
