import { labeled, listOf, type TypeTable, whole, within } from '../shape';
import { own } from '../values';
import { volatileData } from '../volatile';

/** What the builder of stories calls blocks, by their type. */
const blocks: Readonly<Record<string, string>> = {
  storycover: 'cover',
  text: 'text',
  image: 'picture',
  video: 'video',
  audio: 'audio',
  webmap: 'map',
  embed: 'embed',
  button: 'button',
  immersive: 'sidecar',
  'immersive-slide': 'slide',
  'immersive-narrative-panel': 'narrative panel',
  swipe: 'swipe',
  gallery: 'gallery',
  timeline: 'timeline',
  tour: 'map tour',
  navigation: 'navigation',
  credits: 'credits',
};

const blockName = (node: unknown): string => {
  const type = own(node, 'type');
  return typeof type === 'string' && Object.hasOwn(blocks, type) ? (blocks[type] ?? 'block') : 'block';
};

/** The words of a block; its texts are HTML. */
const blockText = (node: unknown): string | undefined =>
  ['title', 'text', 'caption', 'alt', 'url']
    .map((name) => own(own(node, 'data'), name))
    .find((text) => typeof text === 'string' && text !== '')
    ?.toString()
    .slice(0, 500)
    .replace(/<[^<>]*>/g, '');

const block = within({
  type: labeled('kind'),
  children: whole('blocks inside'),
  config: labeled('settings'),
  data: within({
    title: labeled('title'),
    summary: labeled('summary'),
    byline: labeled('byline'),
    text: labeled('text'),
    caption: labeled('caption'),
    alt: labeled('alternative text'),
    url: labeled('address'),
    map: labeled('map'),
    image: labeled('picture'),
    publishedDate: { skip: volatileData.publishedAt },
  }),
});

const resourceName = (resource: unknown): string => {
  const type = own(resource, 'type');
  return typeof type === 'string' && /^[a-z -]{1,30}$/.test(type) ? type : 'resource';
};

/** Both what is published (data) and drafts. */
export const story: TypeTable = {
  types: ['StoryMap'],
  hasDrafts: true,
  data: within({
    nodes: listOf({
      noun: blockName,
      title: blockText,
      says: blockText,
      shape: () => block,
    }),
    resources: listOf({
      noun: resourceName,
      title: ['data.resourceId', 'data.itemId', 'data.themeItemId', 'data.src'],
      says: ['data.itemId', 'data.resourceId', 'data.src'],
      shape: () =>
        within({
          data: within({ itemId: labeled('item'), themeItemId: labeled('theme'), themeId: labeled('theme') }),
        }),
    }),
    root: labeled('first block'),
    actions: whole('map actions'),
    savedAt: { skip: volatileData.savedAt },
  }),
};
