#!/usr/bin/env node
// A stage check: every service used by a map or app of the release must respond on the stage.
//
//   checks: [{ command: [node, services-answer.mjs, USER, PASSWORD_FILE] }]
//
// The promotion is passed as JSON on standard input; output is saved with the promotion.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

const showing = /^(Web (Map|Scene|Mapping Application|Experience)|Dashboard|StoryMap)$/;
const addresses = /https?:\/\/[^\s"'<>\\?]+\/(?:Map|Feature|Image)Server(?:\/\d+)?/g;

const [username, passwordFile] = process.argv.slice(2);
const { portal, groups } = JSON.parse(await text(process.stdin));

/** A portal accepts a token only with the referer it was issued for. */
const post = (url, fields) =>
  fetch(url, {
    method: 'POST',
    headers: { referer: portal.url },
    body: new URLSearchParams({ f: 'json', ...fields }),
  });

async function signIn() {
  const password = (await readFile(passwordFile, 'utf8')).trim();
  const who = { username, password, client: 'referer', referer: portal.url };
  const { token, error } = await (await post(`${portal.url}/generateToken`, who)).json();
  if (token === undefined) throw new Error(`${username} on ${portal.name}: ${error?.message}`);
  return token;
}
const token = await signIn();

/** The services an item uses; throws if the item cannot be read. */
async function readServices(id) {
  const address = `${portal.url}/content/items/${id}`;
  const { title, type, error } = await (await post(address, { token })).json();
  if (error) throw new Error(`item ${id} on ${portal.name}: ${error.message}`);
  if (!showing.test(type)) return { services: [] };
  const content = await (await post(`${address}/data`, { token })).text();
  return { name: `"${title}" (${type})`, services: [...new Set(content.match(addresses))] };
}

/** Why a service does not respond; undefined if it does. */
async function problemOf(service) {
  // Never send the portal's token to another host.
  const isOnPortal = new URL(service).origin === new URL(portal.url).origin;
  const answer = await post(service, isOnPortal ? { token } : {}).catch(({ cause }) => cause);
  if (!(answer instanceof Response)) return answer?.code ?? 'cannot be reached';
  if (!answer.ok) return `HTTP ${answer.status}`;
  const { error } = await answer.json().catch(() => ({ error: { message: 'no JSON' } }));
  return error?.message;
}

const problems = new Map();
let broken = 0;
for (const id of groups.flatMap(({ itemIds }) => itemIds)) {
  const { name, services } = await readServices(id);
  for (const service of services) {
    if (!problems.has(service)) problems.set(service, await problemOf(service));
    const problem = problems.get(service);
    if (problem === undefined) continue;
    broken += 1;
    console.error(`${name} uses ${service}: ${problem}`);
  }
}
console.log(`${problems.size} services checked`);
process.exitCode = broken === 0 ? 0 : 1;
