// Writes to the store of a configuration until it is killed: node writer.js CONFIG file|note KEY
const { createCipheriv } = require('node:crypto');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const built = (...names) => require(path.join(__dirname, '..', '..', 'dist', ...names));
const { loadConfig } = built('config', 'load-config.js');
const { openStore } = built('store', 'open-store.js');

const [config, what, key] = process.argv.slice(2);
const store = openStore(loadConfig(config));
const PIECE = 65_536;
const FAST = 10 * 1024 * 1024;

async function* pieces() {
  // The same bytes as `content` of content.ts.
  const stream = createCipheriv('aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16));
  for (let at = 0; ; at += PIECE) {
    yield stream.update(Buffer.alloc(PIECE));
    if (at + PIECE >= FAST) await sleep(50);
    console.log(`written ${at + PIECE}`);
  }
}

async function notes() {
  for (let round = 1; ; round += 1) {
    await store.writeJson(key, { round, text: String(round % 10).repeat(500_000) });
    console.log(`written ${round}`);
  }
}

const work = what === 'note' ? notes() : store.openPartial(key).then((partial) => partial.append(pieces()));
work.catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
