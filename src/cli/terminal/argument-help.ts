/** Descriptions of arguments that several commands take. */
export const argumentHelp = {
  run: "ID, unique ID suffix or 'latest'",
  snapshot: "ID, unique ID suffix, 'latest' or 'latest:ROUTE'",
  release: "ID, unique ID suffix, 'latest' or 'latest:PIPELINE'",
  route: 'Route in portolan.yaml',
  pipeline: 'Pipeline in portolan.yaml',
  stage: 'Stage of the pipeline',
  portal: 'Portal in portolan.yaml',
  portalOrStage: 'Portal in portolan.yaml, or PIPELINE/STAGE',
  schedule: 'Schedule name',
  server: 'Server URL (default: PORTOLAN_SERVER or portolan.yaml)',
  inputFile: "YAML or JSON file, as written by 'export'; '-' is stdin",
  outputFile: "Output file, overwritten if it exists (default: '-', stdout)",
} as const;
