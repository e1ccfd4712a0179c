const { createTransformer } = require('@swc/jest');

/** Compiles by swc, once for all projects of a folder: nothing else of what differs between them changes the code. */
exports.createTransformer = (options) => {
  const transformer = createTransformer(options);
  return {
    ...transformer,
    getCacheKey: (source, file, given) =>
      transformer.getCacheKey(source, file, { ...given, configString: given.config.rootDir }),
  };
};
