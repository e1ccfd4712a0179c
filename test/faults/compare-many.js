/** Compares items of a portal with themselves, in the compiled program, and says how much memory that took. */
const { Comparison } = require('../../dist/domain/change/comparison');
const { readContent } = require('../../dist/domain/change/item-content');
const { mapLimited } = require('../../dist/model/map-limited');
const { Portal } = require('../../dist/portal/client');

async function main([url, count]) {
  const auth = {
    type: 'password',
    username: 'sync',
    secret: () => Promise.resolve('pa55-word-not-to-be-seen'),
  };
  const portal = new Portal({ name: 'staging', url, auth });
  const coming = ({ itemId }) => readContent(portal, itemId);
  const comparison = new Comparison(portal, { target: {}, groupId: 'g', coming });
  const ids = Array.from({ length: Number(count) }, (_, at) => at.toString(16).padStart(32, 'a'));
  let same = 0;
  await mapLimited(ids, 8, async (itemId) => {
    const item = { itemId, type: 'Web Map', held: { type: 'Web Map' }, inGroup: true };
    if ((await comparison.changeOf(item)).kind === 'same') same += 1;
  });
  process.send({ same, peak: process.resourceUsage().maxRSS * 1024 });
  await portal.close();
  process.disconnect();
}

void main(process.argv.slice(2));
