import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cache } from '../commands.mjs';
import { goModule } from './go-tool.mjs';
import { say } from './run.mjs';

/** Of Kubernetes; the oldest that it maintains, so that nothing is used that one of them lacks. */
export const KUBERNETES = 'v1.35.4';

/**
 * Folder of a JSON schema for each kind of object, as kubeconform looks for them: made once from the OpenAPI
 * description in the sources of Kubernetes, with every field refused that is not in it.
 */
export async function kubernetesSchemas() {
  const folder = path.join(cache, `kubernetes-schemas-${KUBERNETES}`);
  if (existsSync(folder)) return folder;
  say(`fetches the sources of Kubernetes ${KUBERNETES} (20 MB) for their schemas, once`);
  const sources = goModule('k8s.io/kubernetes', KUBERNETES);
  const swagger = JSON.parse(
    await readFile(path.join(sources, 'api', 'openapi-spec', 'swagger.json'), 'utf8'),
  );
  const definitions = Object.fromEntries(
    Object.entries(swagger.definitions).map(([name, definition]) => [name, strict(definition)]),
  );
  const making = await mkdtemp(path.join(cache, 'making-schemas-'));
  try {
    await writeFile(path.join(making, 'definitions.json'), JSON.stringify({ definitions }));
    for (const [name, definition] of Object.entries(swagger.definitions))
      for (const kind of definition['x-kubernetes-group-version-kind'] ?? [])
        await writeFile(path.join(making, fileOf(kind)), JSON.stringify(schemaOf(name, kind, definitions)));
    await mkdir(path.dirname(folder), { recursive: true });
    await rename(making, folder);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

/** As kubeconform's template names it: `{{.ResourceKind}}{{.KindSuffix}}.json`, with the first label of the group. */
const fileOf = ({ group, version, kind }) =>
  `${[kind, ...(group === '' ? [] : [group.split('.')[0]]), version].join('-').toLowerCase()}.json`;

function schemaOf(name, { group, version, kind }, definitions) {
  const own = definitions[name];
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return {
    ...own,
    properties: { ...own.properties, apiVersion: { const: apiVersion }, kind: { const: kind } },
    required: [...new Set([...(own.required ?? []), 'apiVersion', 'kind'])],
    definitions: reachedFrom(own, definitions),
  };
}

/** The definitions that a schema refers to, by whatever way. */
function reachedFrom(schema, definitions, reached = {}) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g)) {
    if (name in reached) continue;
    reached[name] = definitions[name];
    reachedFrom(definitions[name], definitions, reached);
  }
  return reached;
}

/** Whatever an OpenAPI description of Kubernetes says otherwise than a JSON schema does. */
function strict(given) {
  if (Array.isArray(given)) return given.map(strict);
  if (typeof given !== 'object' || given === null) return given;
  if (given.format === 'int-or-string') return { type: ['integer', 'string'] };
  const { format: _format, ...rest } = given;
  const made = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'properties' ? eachOf(value) : strict(value)]),
  );
  return made.properties && made.additionalProperties === undefined
    ? { ...made, additionalProperties: false }
    : made;
}

const eachOf = (properties) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, strict(schema)]));
