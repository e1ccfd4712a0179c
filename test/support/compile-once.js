const vm = require('node:vm');

/** Stands for the context of this process itself, which has none that could be handed on. */
exports.ownContext = Object.freeze({});

const { compileFunction } = vm;
/** What each module was compiled to, by its head and name, with the text that it was. */
const compiled = new Map();

/**
 * Each suite loads its modules anew, jest's own and those of `src` among them. Jest would also compile each anew, half
 * the work of loading them; what a process compiled for one suite is run again for the next, functions that were
 * compiled while the first ran included.
 */
vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename, parsingContext } = options;
  if (parsingContext !== exports.ownContext) return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join(',')}) {`;
  const key = `${head}${filename}`;
  let known = compiled.get(key);
  if (known?.source !== source) {
    const script = new vm.Script(`${head}${source}\n})`, {
      filename,
      columnOffset: -head.length,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    known = { source, script };
    compiled.set(key, known);
  }
  return known.script.runInThisContext();
};
