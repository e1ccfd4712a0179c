const { createTransformer } = require('@swc/jest');

/** Compiles by swc, once for all projects: of what differs between them, nothing changes the code. */
exports.createTransformer = (options) => {
  const transformer = createTransformer(options);
  return {
    ...transformer,
    getCacheKey: (source, file, given) =>
      transformer.getCacheKey(source, file, { ...given, configString: '' }),
  };
};
