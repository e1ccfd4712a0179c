import vm from 'node:vm';

/** Marks that modules are compiled once; suites that follow in the process find it. */
const once = Symbol.for('portolan.compiledOnce');

/** A module's text, and what it was compiled to; nothing where it has to be compiled for each suite. */
interface Compiled {
  readonly source: string;
  readonly script: vm.Script | undefined;
}

/** Who imports while running is answered by its own suite, so that its module belongs to that one. */
const importsLater = /\bimport\s*\(/;

/**
 * Each suite loads its modules anew, those of the SDK and of jest itself among them. Jest would also compile each
 * anew, half the work of loading them; what a process compiled for one suite is run again for the next, functions that
 * were compiled while the first ran included.
 */
if (!(once in vm)) {
  const { compileFunction } = vm;
  const compiled = new Map<string, Compiled>();

  const compile = (source: string, head: string, filename: string | undefined): Compiled => ({
    source,
    script: importsLater.test(source)
      ? undefined
      : new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length }),
  });

  Object.assign(vm, {
    [once]: true,
    compileFunction(...args: Parameters<typeof compileFunction>): ReturnType<typeof compileFunction> {
      const [source, parameters = [], { filename, parsingContext } = {}] = args;
      if (parsingContext === undefined) return compileFunction(...args);
      const head = `(function (${parameters.join(',')}) {`;
      const key = `${head}${filename}`;
      let known = compiled.get(key);
      if (known?.source !== source) compiled.set(key, (known = compile(source, head, filename)));
      const run = known.script?.runInContext(parsingContext) as
        ReturnType<typeof compileFunction> | undefined;
      return run ?? compileFunction(...args);
    },
  });
}
